# Every target does its own set-up: a .venv in the clone, made anew when pyproject.toml changes.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: install demo test lint format bench paper-smoke clean

install: .venv/.installed

.venv/.installed: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[test]"
	touch $@

demo: install
	$(BIN)/python -m alakarte demo

test: install lint
	$(BIN)/python -m pytest -n 2 --dist worksteal

bench: install
	$(BIN)/python -m bench.speed

paper-smoke: install
	$(BIN)/python -m bench.paper smoke

lint: install
	$(BIN)/ruff check src tests bench
	$(BIN)/ruff format --check src tests bench

format: install
	$(BIN)/ruff check --fix src tests bench
	$(BIN)/ruff format src tests bench

clean:
	rm -rf .venv build dist .pytest_cache .ruff_cache
