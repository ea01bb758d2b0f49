# Everything here works on a fresh machine with Python 3.11 or later and the package index: Java comes with the lock.
# `make demo` runs the main job on a recorded incident; `make test` passes the tests.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
RECORDER := .venv-recorder
LEARNT := kill_controller full_disk rolling_restart
READY := $(VENV)/.ready
TRACE := traces/unclean-election-zk-2.8.2
OUT := out/unclean-election-zk-2.8.2

VERSIONS := tests/test_golden.py tests/test_kafka_log.py tests/test_kafka_explain.py tests/test_replay_object.py

.PHONY: help demo test nightly long versions bench docs wheel bundle record learn clean

help:
	@echo "make demo    analyze $(TRACE)/input and say where the page is"
	@echo "make test    run ruff, mypy and the tests of every room"
	@echo "make nightly run the tests that take long: Delta, Spark Connect, a cluster, the browser, rewritten logs"
	@echo "make long    run what takes tens of minutes: every recording on a cluster, and how each step grows with its input"
	@echo "make versions run the main tests on the lowest and the highest Spark, pandas and pyarrow that are allowed"
	@echo "make bench   measure how fast lines become events"
	@echo "make docs    write docs/ anew from the declarations in the code"
	@echo "make wheel   build the wheel into dist/"
	@echo "make bundle  build one archive into dist/ that installs on a host without network"
	@echo "make record  record an incident of real Kafka (Linux, root): SCENARIO=kill_leader RELEASE=4.1.1 [OPTIONS='--mode zk']"
	@echo "make learn   record three incidents of a release and print what is new in it: RELEASE=4.5.0"
	@echo "make clean   remove what the other targets made"

demo: $(READY)
	$(BIN)/kafka-replay analyze $(TRACE)/input --out $(OUT) --overwrite
	@echo
	@echo "The report: $(CURDIR)/$(OUT)/report.html"

test: $(READY)
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --quiet --check .
	@echo "mypy: types of replay, pipelines and viz (half a minute the first time, then seconds)"
	$(BIN)/python -m mypy --no-error-summary
	$(BIN)/python -m pytest --numprocesses=2 --dist=loadfile --no-loadscope-reorder --durations=15

nightly: $(READY)
	$(BIN)/python -m pytest -m nightly --numprocesses=2 --dist=loadfile --no-loadscope-reorder --durations=15

long: $(READY)
	$(BIN)/python -m pytest -m long --durations=15

versions: versions-lowest versions-highest

versions-%: tests/versions/%.txt
	$(PYTHON) -m venv .venv-$*
	.venv-$*/bin/python -m pip install --quiet --disable-pip-version-check --constraint $< '.[java,test]'
	.venv-$*/bin/python -m pytest $(VERSIONS)

bench: $(READY)
	$(BIN)/python -m benchmarks.lines_to_events traces

docs: $(READY)
	$(BIN)/python -m pipelines.docs

wheel: $(READY)
	@$(BIN)/python -c 'from pathlib import Path; from pipelines.databricks_wheel import usual_wheel; print(usual_wheel(Path("dist")))'

bundle: $(READY)
	@$(BIN)/python -m pipelines.bundle dist

record: $(RECORDER)/.ready
	$(RECORDER)/bin/python -m traces.recorder $(SCENARIO) $(RELEASE) $(if $(TO),--to $(TO)) $(OPTIONS)

learn: $(READY) $(RECORDER)/.ready
	for scenario in $(LEARNT); do \
		$(RECORDER)/bin/python -m traces.recorder $$scenario $(RELEASE) --out out/learn-$(RELEASE)/$$scenario || exit 1; done
	$(BIN)/python -m tests.learn $(RELEASE) $(LEARNT:%=out/learn-$(RELEASE)/%)
	$(BIN)/python -m pytest -q tests/reading tests/test_golden.py

clean:
	rm -rf $(VENV) .venv-lowest .venv-highest $(RECORDER) out build dist *.egg-info .pytest_cache .hypothesis .mypy_cache .ruff_cache

$(READY): requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "no Python 3.11 or later on the PATH; install one, or name it: make PYTHON=/path/to/python3.11" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	$(BIN)/kafka-replay prepare
	@touch $@

$(RECORDER)/.ready: traces/recorder/requirements.txt
	@test -n "$(PYTHON)" || { echo "no Python 3.11 or later on the PATH; install one, or name it: make PYTHON=/path/to/python3.11" >&2; exit 2; }
	$(PYTHON) -m venv $(RECORDER)
	$(RECORDER)/bin/python -m pip install --quiet --disable-pip-version-check -r traces/recorder/requirements.txt
	@touch $@
