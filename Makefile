# `make demo` runs an agent on virtual phones, `make test` passes the tests; both set up .venv first.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint

demo: .venv/ready
	$(BIN)/pytest tasks/coursera -n 2 --agent=lexical --mobile-exit=run -v --tb=no -rN

test: .venv/ready
	$(BIN)/pytest -n 2

lint: .venv/ready
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable . --group dev
	touch $@
