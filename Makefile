# Every target sets up what it needs: .venv, the compiled engine, the packages of one extra.
# A second call does nothing twice. Paths are relative, so any directory will do.

PYTHON ?=
ARGS ?=
# LOCKED=1 installs exactly the versions of requirements/ci.txt, checked by their hashes.
LOCKED ?=
export PYTHON LOCKED

python := .venv/bin/python
done := .venv/.done
bootstrap := sh scripts/bootstrap.sh
# CapyMOA is measured against where there is Java to run it.
moa := $(if $(shell command -v java),$(done)/moa)
# So are the tests of boxwise.spark run.
spark := $(if $(shell command -v java),$(done)/spark)

.DEFAULT_GOAL := help
# Two installs at once would disturb each other; the tests run in parallel by themselves.
.NOTPARALLEL:
.PHONY: help demo live test test-long spark lint docs days pictures paper bench bench-quick bench-service instructions studies streams evidence defaults
.PHONY: wheel sanitize fuzz lock locked clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

demo: $(done)/demo ## watch a model learn from a stream (ARGS="--rows 5000 --seed 1")
	@$(python) -m boxwise.apps demo $(ARGS)

live: $(done)/live ## watch the service learn from a stream, in a browser (ARGS="--pace 20 --no-browser")
	@$(python) -m boxwise.apps live $(ARGS)

test: $(done)/test ## run the tests and the examples in the docstrings (ARGS="-k loans")
	$(python) -m pytest -n auto -m "not long" $(ARGS)

test-long: $(done)/test ## run the long tests: random walks, products of parameters, whole pages
	$(python) -m pytest -n auto -m long $(ARGS)

spark: $(spark) ## install PySpark for the tests of boxwise.spark, if there is Java (450 MB)

lint: $(done)/cli $(done)/lint ## check style, types and the direction of imports
	$(python) -m ruff check
	$(python) -m ruff format --check
	$(python) -m mypy
	$(python) -c "from importlinter.cli import lint_imports_command as lint; lint()"

docs: $(done)/docs ## build the documentation into docs/_build/html
	$(python) -m sphinx -W -b html docs docs/_build/html

pictures: $(done)/test ## draw the pictures of the first page of the documentation (needs chromium)
	$(python) docs/make_landing_pictures.py

days: $(done)/test ## run the commands on the pages of docs/days again (ARGS=phishing; 5 minutes)
	$(python) docs/make_days.py $(ARGS)

paper: $(done)/paper ## run the paper's evaluation again and report (ARGS="--quick"; about an hour)
	$(python) -m boxwise.apps paper $(ARGS)

bench: $(done)/bench $(moa) ## measure the speed, against peers too, and make docs/benchmarks.md (40 minutes)
	$(python) -m benchmarks run $(ARGS)

bench-quick: $(done)/bench $(moa) ## the same with small sizes, into build/benchmarks (minutes)
	$(python) -m benchmarks --quick run $(ARGS)

instructions: $(done)/package ## count the engine's instructions; fails if there are over a tenth more (ARGS=--renew)
	$(python) -m benchmarks.instructions $(ARGS)

bench-service: $(done)/cli $(done)/service $(done)/mlflow ## speed of the service, beside MLflow's server (5 minutes)
	$(python) -m benchmarks.service $(ARGS)

studies: $(done)/bench ## what merging, rules and pruning do to the predictions (all with BOXWISE_DATA)
	$(python) -m benchmarks.merging
	$(python) -m benchmarks.merging_evidence
	$(python) -m benchmarks.rules
	$(python) -m benchmarks.pruning

streams: $(done)/bench ## predict, then learn, over whole streams, beside River's learners (half an hour)
	$(python) -m benchmarks.streams $(ARGS)

evidence: $(done)/bench ## HyperboxClassifier beside peers: data sets, calibration, streams (over an hour; needs BOXWISE_DATA)
	$(python) -m benchmarks.evidence
	$(python) -m benchmarks.calibration
	$(python) -m benchmarks.evidence_streams

defaults: $(done)/bench ## compare settings over the paper's data sets (needs BOXWISE_DATA)
	$(python) -m benchmarks.defaults eiol
	$(python) -m benchmarks.defaults hyperbox

wheel: $(done)/package ## build the wheel for this machine and the source distribution into dist/
	@$(bootstrap) wheel

sanitize: $(done)/test ## run the engine's tests under the address and undefined sanitizers
	bash scripts/sanitize.sh

fuzz: $(done)/test ## feed the engine and the model file with nonsense (ARGS=60: seconds each)
	bash scripts/fuzz.sh $(ARGS)

lock: $(done)/lock ## lock what LOCKED=1 installs, with hashes (ARGS=--upgrade: newer versions)
	sh scripts/lock.sh $(ARGS)

clean: ## remove what was built; .venv stays, and is checked again by the next target
	rm -rf build dist wheelhouse docs/_build .pytest_cache .mypy_cache .ruff_cache
	rm -rf .import_linter_cache .hypothesis $(done)

# The install is editable (scripts/bootstrap.sh says why), so what is in src needs no new install.
$(done)/package: pyproject.toml CMakeLists.txt scripts/bootstrap.sh $(wildcard native/* native/*/*)
	@$(bootstrap) package
	@mkdir -p $(done)
	@echo "$(here)" > $@

$(done)/%: $(done)/package
	@$(bootstrap) extra $*
	@touch $@

ifneq ($(LOCKED),)
# Each time: what was installed since may have brought other versions.
$(done)/package: requirements/ci.txt | locked
locked:
	@$(bootstrap) locked
endif

# Nobody must have it: without a network, say, the benchmark goes on and says that it is missing.
$(done)/moa: $(done)/package
	@$(bootstrap) extra moa && touch $@ || echo "boxwise: going on without CapyMOA"

# Without it its tests skip themselves.
$(done)/spark: $(done)/package requirements/spark.txt requirements/spark_build.txt
	@$(bootstrap) spark && touch $@ || echo "boxwise: going on without PySpark"

# An editable install knows its directory and its modules: after a move it has to be made anew.
here := $(shell pwd) $(shell find src -name '*.py' | LC_ALL=C sort | cksum)
ifneq ($(shell cat $(done)/package 2>/dev/null),$(here))
.PHONY: $(done)/package
endif
