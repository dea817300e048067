#!/usr/bin/env bash
# Phishing: a service that learns

# The table
python - << 'END'
import pandas as pd
from river.datasets import Phishing
rows = [{**x, "site": "phishing" if y else "legitimate"} for x, y in Phishing()]
pd.DataFrame(rows).to_csv("sites.csv", index=False)
END
head -n 3 sites.csv

# The columns
boxwise evaluate sites.csv --label site
CODES=$(head -n 1 sites.csv | cut -d, -f1-9)
boxwise evaluate sites.csv --label site --categorical $CODES -q --details

# Beside other learners
boxwise evaluate sites.csv --label site --categorical $CODES -q --window 125 --plot sites.png --against logistic-regression,adaptive-hoeffding-tree,naive-bayes,arf
boxwise evaluate sites.csv --label site --categorical $CODES -q --cv 10 --against random-forest,hist-gradient-boosting,logistic-regression

# A parameter
boxwise evaluate sites.csv --label site --categorical $CODES -q --theta 0.2 --delta 0.05

# Learn
head -n 1001 sites.csv > past.csv
(head -n 1 sites.csv; tail -n 250 sites.csv) > new.csv
boxwise learn past.csv --label site -o sites.box --categorical $CODES --fix age_of_domain,is_popular

# One decision
boxwise explain sites.box new.csv --row 7

# Rules and a report
boxwise rules sites.box --simplify 0.95 --data past.csv --label site
boxwise report sites.box --data new.csv --cost fn=3,fp=1 -o sites.html

# Serve, and learn from labels that come later
boxwise serve sites.box --port 0 -q > address.txt 2> serve.log &
until grep -qs http address.txt; do sleep 0.1; done; URL=$(grep -o 'http.*' address.txt)
cat > row.json << 'END'
{"empty_server_form_handler": "1.0", "popup_window": "0.5", "https": "1.0",
 "request_from_other_domain": "0.5", "anchor_from_other_domain": "0.0", "is_popular": "0.5",
 "long_url": "0.0", "age_of_domain": "1", "ip_in_url": "0"}
END
echo "{\"rows\": [$(cat row.json)], \"ids\": [\"shop 17\"]}" > ask.json
curl -s $URL/v1/predict -H 'Content-Type: application/json' -d @ask.json
curl -s $URL/v1/learn -H 'Content-Type: application/json' -d '{"labelled": [{"id": "shop 17", "label": "phishing"}]}'
curl -s $URL/v1/predict -H 'Content-Type: application/json' -d @ask.json
kill %1; wait
