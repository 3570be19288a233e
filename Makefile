# Needs Python 3.11 or newer, make and a package index; everything else goes into .venv.
# With .venv already matching the pinned requirements nothing here touches the network.

ifndef PYTHON
PYTHON := $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$p" && break; \
	done)
endif
BIN := .venv/bin
REPORTS := .reports
JOBS ?= 2

.NOTPARALLEL:
.DEFAULT_GOAL := help
.PHONY: help demo test check lint types layers unit e2e report bench evaluate format lock clean \
	venv venv-test python

help: ## this list
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | sort | expand -t 12

demo: venv ## set up .venv and run the demonstration
	$(BIN)/leaseway demo

test: venv-test check ## set up .venv, then lint, types, layers and every test that can run here

check: lint types layers unit e2e report

lint: venv-test ## style and formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: venv-test ## mypy
	$(BIN)/python -m mypy

layers: venv-test ## who may import whom
	$(BIN)/python $(BIN)/lint-imports --no-logo

unit: venv-test ## all tests that start no real processes, side by side
	@rm -rf $(REPORTS) && mkdir -p $(REPORTS)
	$(BIN)/python -m pytest -n $(JOBS) -m "not e2e" --junitxml=$(REPORTS)/unit.xml

# Real processes and real clocks share the machine badly: one after the other.
e2e: venv-test ## tests with real processes, one after the other
	@mkdir -p $(REPORTS) && rm -f $(REPORTS)/e2e.xml
ifneq ($(wildcard tests/e2e/test_*.py),)
	$(BIN)/python -m pytest -p no:xdist -m e2e tests/e2e --junitxml=$(REPORTS)/e2e.xml
else
	@echo "no tests with real processes yet"
endif

report: venv-test
	@$(BIN)/python tools/test_report.py $(REPORTS)/*.xml

bench: venv-test ## print how fast it is here
	$(BIN)/python -m bench

evaluate: venv-test ## replay a real machine's log against leases that end (a few minutes)
	$(BIN)/python -m bench.evaluate --picture docs/evaluate.svg

format: venv-test ## let ruff rewrite what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lock: python ## regenerate the pinned requirements (network)
	PYTHON="$(PYTHON)" tools/lock.sh

clean: ## remove .venv and everything generated
	rm -rf .venv $(REPORTS) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis \
		.import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

venv: python
	@"$(PYTHON)" tools/ensure_venv.py runtime

venv-test: python
	@"$(PYTHON)" tools/ensure_venv.py test

python:
	@test -n "$(PYTHON)" || { echo "Leaseway needs Python 3.11 or newer; none was found as" \
		"python3, python3.13, python3.12, python3.11 or python." \
		"Install one, or name it: make PYTHON=/path/to/python3 ..." >&2; exit 1; }
