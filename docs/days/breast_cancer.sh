#!/usr/bin/env bash
# Breast cancer: 30 measurements

# The table
python - << 'END'
from sklearn.datasets import load_breast_cancer
bunch = load_breast_cancer(as_frame=True)
table = bunch.data.assign(diagnosis=bunch.target_names[bunch.target])
table.to_csv("breast.csv", index=False)
END
wc -l breast.csv

# The columns, and a first score
boxwise evaluate breast.csv --label diagnosis

# Beside other learners
boxwise evaluate breast.csv --label diagnosis -q --against logistic-regression,naive-bayes,arf
boxwise evaluate breast.csv --label diagnosis -q --against random-forest
boxwise evaluate breast.csv --label diagnosis -q --cv 10 --against random-forest,hist-gradient-boosting,logistic-regression

# A parameter
boxwise evaluate breast.csv --label diagnosis -q --cv 10 --theta 0.3

# The cost of an error
boxwise evaluate breast.csv --label diagnosis -q --details --positive malignant --cost fn=10,fp=1 | tail -n 13

# Learn
head -n 401 breast.csv > past.csv
(head -n 1 breast.csv; tail -n 169 breast.csv) > new.csv
ERRORS=$(head -n 1 breast.csv | tr , '\n' | grep error | paste -sd,)
boxwise learn past.csv --label diagnosis -o breast.box --fix "$ERRORS" | tail -n 1

# One decision
boxwise predict breast.box new.csv --proba -q | awk -F, 'NR > 1 {d = $4 - 0.5; print (d < 0 ? -d : d), $1, $2, $4}' | sort -n | head -n 3
boxwise explain breast.box new.csv --row 97

# Rules, a picture, a report
boxwise rules breast.box --simplify 0.95 --data past.csv --label diagnosis
boxwise plot breast.box -o regions.png --kind regions --data new.csv --label diagnosis
boxwise report breast.box --data new.csv --cost fn=10,fp=1 --positive malignant -o breast.html

# Go on learning
boxwise learn new.csv --label diagnosis --into breast.box
boxwise learn breast.csv --label diagnosis -o whole.box --fix "$ERRORS" -q
cmp breast.box whole.box && echo identical

# Outside Python
python - << 'END'
import boxwise, numpy as np, onnxruntime, pandas as pd
clf = boxwise.load("breast.box")
open("breast.onnx", "wb").write(clf.to_onnx().SerializeToString())
rows = pd.read_csv("new.csv").drop(columns="diagnosis")
session = onnxruntime.InferenceSession("breast.onnx")
label, p = session.run(None, {name: rows[[name]].to_numpy() for name in rows})
print("same labels:", (label == clf.predict(rows)).all())
print("same probabilities:", np.abs(p - clf.predict_proba(rows)).max() < 1e-9)
END
