# `make demo` runs an agent on virtual phones, `make test` passes the tests but the slow ones,
# `make test-all` passes those too, and `make lint` checks format and types; all set up .venv first.
# `make test-portable` passes the tests that need no Linux.
# `make docs` builds the site of docs/, and fails on links that lead nowhere.
# `make changelog` prints what has changed since the last release; with RELEASE=yes it is released.
# `make release` builds the wheel and the sdist in dist/, checks them, and tries the wheel alone.
# `make appium` installs Appium (needs npm), without which the tests that drive phones by it skip.

PYTHON ?= python3
BIN := .venv/bin

# Tests start thousands of processes, each of which would compile anew what it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-portable test-all lint docs changelog release appium

demo: .venv/ready
	$(BIN)/pytest tasks/coursera -n 2 --agent=lexical --mobile-exit=run -v -o verbosity_test_cases=0 --tb=no -rN

test: .venv/ready
	$(BIN)/pytest -n 2 -m "not slow"

# Rooms whose code starts no process, and so needs nothing that only Linux has.
PORTABLE = action check dialect draft environment episode judge llm perception report review screen task testing

test-portable: .venv/ready
	$(BIN)/pytest -n 2 -m "not slow" $(wildcard tests/test_*.py) $(PORTABLE:%=tests/%)

test-all: test
	$(BIN)/pytest -n 2 -m slow

lint: .venv/ready
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/mypy --config-file tests/mypy.ini

docs: .venv/docs
	$(BIN)/sphinx-build -q -W --keep-going -n -b html -d docs/_build/doctrees docs docs/_build/html
	@echo "docs/_build/html/index.html"

.venv/docs: .venv/ready
	$(BIN)/python -m pip install --quiet --group docs
	touch $@

release: .venv/release
	rm -rf dist
	$(BIN)/python -m build --no-isolation
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl
	.ci/try-wheel dist/*.whl

.venv/release: .venv/ready
	$(BIN)/python -m pip install --quiet --group release
	touch $@

changelog: .venv/ready
	$(BIN)/towncrier build $(if $(RELEASE),--yes,--draft --version Unreleased)

appium: .appium/node_modules/.bin/appium

.appium/node_modules/.bin/appium:
	mkdir -p .appium
	APPIUM_SKIP_CHROMEDRIVER_INSTALL=1 npm install --prefix .appium --no-package-lock --no-audit \
		--no-fund --loglevel=error appium@3 appium-uiautomator2-driver@8
	touch $@

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[all,grpc]" --group dev
	$(BIN)/python -m compileall -q pytest_mobileagent fixtures agents # phones start twice as fast
	touch $@
