# `make demo` runs an agent on virtual phones, `make test` passes the tests but the slow ones,
# `make test-all` passes those too, and `make lint` checks format and types (at once with `make -j lint`);
# all set up .venv first.
# `make test` leaves out the tests of the virtual device where the files that they run are those of
# origin's main branch, or have passed them here; `make test-virtual` runs only these tests, and
# `make test-fast` all but the slow ones.
# `make PYTHON=python3.13 VENV=.venv-3.13 test` uses another Python, in an environment of its own.
# `make suites` has scripted agents play all suites, those of published benchmarks too: every task
# that phones have the apps for; and on days of all kinds in several time zones, the tasks that
# depend on the time; and has all published agents play the same tasks, on phones and on recorded
# pages. `make test-all` does that with a part, another one for each commit.
# `make test-portable` passes the tests that need no Linux.
# `make test-fleet` installs Ray and passes the tests on clusters of this machine, in five minutes; the
# other tests leave them out.
# `make demonstrations` records golden trajectories of B-MoCA in its 35 training environments, and
# exports them; it takes an hour or two.
# `make graph` makes the graph of recorded pages in fixtures/graphs anew.
# `make android-world CHECKOUT=DIR` makes the environment .venv in a checkout of AndroidWorld, in which
# tasks/android_world runs its tasks; it needs Python 3.11.
# `make listener` builds the event listener that `mobileagent doctor --install-listener` installs, from
# fixtures/listener; it needs Debian's packages aapt, android-framework-res, apksigner, smali, zipalign
# and a JDK. The APK is signed with a new key: phones that have an older one must remove it first.
# `make benchmarks` measures speed, and writes the table in benchmarks/README.md anew.
# `make docs` builds the site of docs/, and fails on links that lead nowhere.
# `make changelog` prints what has changed since the last release; with RELEASE=yes it is released.
# `make release` builds the wheel and the sdist in dist/, checks them, and tries the wheel alone.
# `make appium` installs Appium (needs npm), without which the tests that drive phones by it skip, and
# axe, which tests pages for screen readers.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

# Tests start thousands of processes, each of which would compile anew what it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-fast test-virtual test-portable test-all test-fleet suites demonstrations graph benchmarks listener lint lint-style lint-types lint-types-of-tests docs changelog release appium android-world

demo: $(VENV)/ready
	$(BIN)/pytest tasks/coursera -n 2 --agent=t3a --mobile-model=scripted:fixtures/replies/t3a.jsonl \
		--mobile-device-time=2026-11-22T09:00 --mobile-max-steps=8 --mobile-exit=run \
		-v -o verbosity_test_cases=0 --tb=no -rN

test: $(VENV)/ready
	$(BIN)/python .ci/fast_tests.py --virtual=auto

test-virtual: $(VENV)/ready
	$(BIN)/python .ci/fast_tests.py --virtual=only

test-fast: $(VENV)/ready
	$(BIN)/python .ci/fast_tests.py

# Rooms whose code starts no process, and so needs nothing that only Linux has.
PORTABLE = action check dataset dialect draft environment episode instruct judge llm noise perception report review screen task testing

test-portable: $(VENV)/ready
	$(BIN)/pytest -n 2 -m "not slow" $(wildcard tests/test_*.py) $(PORTABLE:%=tests/%)

test-all: test-fast
	$(BIN)/pytest -n 3 -m slow

test-fleet: $(VENV)/ray
	$(BIN)/pytest -n 0 tests/fleet tests/plugin/engine/ray

$(VENV)/ray: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --editable ".[ray]"
	touch $@

# Tests of which each commit runs a part.
PARTS = suite/test_tasks_are_sound suite/test_agents suite/test_agents_offline \
	suite/test_mobile_bench_v2 examples/test_demo

suites: $(VENV)/ready
	SUITES_PART=1/1 $(BIN)/pytest $(PARTS:%=tests/%.py)

demonstrations: $(VENV)/ready
	$(BIN)/pytest tasks/b_moca -n 2 --agent=oracle --mobile-env=train --mobile-exit=run --mobile-runs=demonstrations/runs
	$(BIN)/python -m pytest_mobileagent export demonstrations/runs --format=bmoca -o demonstrations/bmoca

# The tasks of tasks/coursera that need no probes, which recorded pages do not have.
RECORDED = downloads.py::test_storage_used learning.py::test_show_saved search.py::test_search \
	search.py::test_filter_level search.py::test_open_first_in_spanish settings.py::test_dark_mode \
	settings.py::test_time_of_reminder

graph: $(VENV)/ready
	rm -rf demonstrations/graph
	$(BIN)/pytest $(RECORDED:%=tasks/coursera/test_%) --agent=oracle --mobile-device-time=2026-11-22T09:00 \
		--mobile-runs=demonstrations/graph
	$(BIN)/python -m pytest_mobileagent graph demonstrations/graph --small --name=Coursera \
		--licence="that of pytest-mobileagent" -o fixtures/graphs/coursera

listener: $(VENV)/ready
	$(BIN)/python fixtures/build_apk.py fixtures/listener pytest_mobileagent/device/doctor/listener.apk

benchmarks: $(VENV)/ready
	$(BIN)/python benchmarks/table.py

lint: lint-style lint-types lint-types-of-tests

lint-style: $(VENV)/ready
	$(BIN)/ruff format --check
	$(BIN)/ruff check

lint-types: $(VENV)/ready
	$(BIN)/mypy

lint-types-of-tests: $(VENV)/ready
	$(BIN)/mypy --config-file tests/mypy.ini

docs: $(VENV)/docs
	$(BIN)/sphinx-build -q -W --keep-going -n -b html -d docs/_build/doctrees docs docs/_build/html
	@echo "docs/_build/html/index.html"

$(VENV)/docs: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --group docs
	touch $@

release: $(VENV)/release
	rm -rf dist
	$(BIN)/python -m build --no-isolation
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl
	.ci/try-wheel dist/*.whl

$(VENV)/release: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --group release
	touch $@

# The versions that AndroidWorld pins, without those that only its own agents and emulators need.
ANDROID_WORLD = absl-py==2.1.0 android_env==1.2.3 dm_env==1.6 fuzzywuzzy==0.18.0 google-generativeai \
	grpcio-tools==1.71.0 immutabledict==2.0.0 jsonschema==4.17.3 "matplotlib<3.9" numpy==1.26.3 \
	opencv-python-headless==4.10.0.84 pandas==2.1.4 protobuf==5.29.5 pydub python-Levenshtein requests \
	setuptools==75.8.0 tenacity termcolor

android-world:
	@test -f "$(CHECKOUT)/android_world/registry.py" || { echo "name a checkout of \
	github.com/google-research/android_world: make android-world CHECKOUT=DIR" >&2; exit 1; }
	python3.11 -m venv "$(CHECKOUT)/.venv"
	"$(CHECKOUT)/.venv/bin/python" -m pip install --quiet $(ANDROID_WORLD)
	cd "$(CHECKOUT)" && .venv/bin/python setup.py --quiet generate_protos
	@echo "name it in tasks/releases.toml: android_world.tasks = \"DIR\" (docs/suites.md)"

changelog: $(VENV)/ready
	$(BIN)/towncrier build $(if $(RELEASE),--yes,--draft --version Unreleased)

appium: .appium/node_modules/.bin/appium

.appium/node_modules/.bin/appium:
	mkdir -p .appium
	APPIUM_SKIP_CHROMEDRIVER_INSTALL=1 npm install --prefix .appium --no-package-lock --no-audit \
		--no-fund --loglevel=error appium@3 appium-uiautomator2-driver@8 axe-core@4
	touch $@

$(VENV)/ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[all,grpc]" --group dev
	$(BIN)/python -m compileall -q pytest_mobileagent fixtures agents # phones start twice as fast
	touch $@
