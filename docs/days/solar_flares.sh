#!/usr/bin/env bash
# Solar flares: codes and a rare class

# The table
python - << 'END'
import pandas as pd
from river.datasets import SolarFlare
rows = [{**x, "flare": "yes" if y["c-class-flares"] else "no"} for x, y in SolarFlare()]
pd.DataFrame(rows).to_csv("flares.csv", index=False)
END
head -n 3 flares.csv

# The columns
boxwise learn flares.csv --label flare -o first.box
CODES=activity,evolution,previous-24h-flare-activity,hist-complex,hist-complex-this-pass,area

# A first score
boxwise evaluate flares.csv --label flare --categorical $CODES --drop largest-spot-area --against naive-bayes,logistic-regression,arf,majority

# A parameter
boxwise evaluate flares.csv --label flare --categorical $CODES --drop largest-spot-area -q --class-prior auto

# Beside learners that see all rows
boxwise evaluate flares.csv --label flare --categorical $CODES --drop largest-spot-area -q --cv 10 --against random-forest,hist-gradient-boosting,logistic-regression

# Costs and groups
boxwise evaluate flares.csv --label flare --categorical $CODES --drop largest-spot-area -q --cost fn=5,fp=1 --group evolution | tail -n 20

# Learn
head -n 801 flares.csv > past.csv
(head -n 1 flares.csv; tail -n 266 flares.csv) > new.csv
boxwise learn past.csv --label flare -o flares.box --categorical $CODES --drop largest-spot-area --fix zurich-class

# One decision
boxwise explain flares.box new.csv --row 1 -q

# Rules, a picture, a report
boxwise rules flares.box
boxwise rules flares.box --simplify 0.95 --data past.csv --label flare -q
boxwise rules flares.box --simplify 0.99 --data past.csv --label flare -q
boxwise plot flares.box -o curves.png --kind curves
boxwise report flares.box --data new.csv --label flare --cost fn=5,fp=1 --group evolution -o flares.html

# Go on learning
boxwise learn new.csv --label flare --into flares.box
boxwise inspect flares.box | head -n 4
