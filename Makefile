# The two commands: `make run` and `make test`. Everything else is for people who change the code.
PYTHON ?= python3
PORT ?= 8501
BIN := .venv/bin

.PHONY: run test lint format pins bench clean setup

run: setup .venv/.ready
	$(BIN)/python -m incidents serve --port $(PORT)

setup: .venv/.installed

.venv/.installed: requirements.txt pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --disable-pip-version-check --progress-bar on -q --no-deps --require-hashes -r requirements.txt
	$(BIN)/python -m pip install --disable-pip-version-check -q --no-deps --no-build-isolation -e .
	@touch $@

# The place index, the map's base layer and the sample incidents; seconds on a second run.
.venv/.ready: .venv/.installed
	$(BIN)/python -m geodata.gazetteer
	$(BIN)/python -m incidents.map_base
	$(BIN)/python -m incidents.samples
	@touch $@

.venv/.test: .venv/.installed tests/requirements.txt
	$(BIN)/python -m pip install --disable-pip-version-check -q --no-deps --require-hashes -r tests/requirements.txt
	$(BIN)/python tests/install_browser.py
	$(BIN)/python -m geodata.gazetteer
	$(BIN)/python -m incidents.map_base
	@touch $@

test: .venv/.test
	$(BIN)/python -m pytest $(ARGS)

lint: .venv/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: .venv/.test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: .venv/.test
	for script in benchmarks/bench_*.py; do $(BIN)/python $$script || exit 1; done

# Exact pins with hashes, for every platform and Python from 3.11 on.
pins: .venv/.installed
	$(BIN)/python -m pip install -q uv
	$(BIN)/uv pip compile --universal --generate-hashes --python-version 3.11 --no-header -q pyproject.toml -o requirements.txt
	$(BIN)/uv pip compile --universal --generate-hashes --python-version 3.11 --no-header -q pyproject.toml --extra test -c requirements.txt -o tests/requirements.txt

clean:
	rm -rf .venv build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis artifacts
