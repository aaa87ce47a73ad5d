# Every target does its own set-up: a .venv in the clone, made anew when pyproject.toml changes.
PYTHON ?= python3
BIN := .venv/bin
INSTALL := -m pip install --quiet --disable-pip-version-check
PYTEST := -m pytest -n 2 --dist worksteal
SITE := docs/conf.py docs/mathml.py docs/examples

.PHONY: install demo docs test-docs test test-all test-crashes test-cluster test-browser test-oldest test-bare test-files fuzz coverage lint format bench paper-smoke release-check clean

install: .venv/.installed

.venv/.installed: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python $(INSTALL) --editable ".[test]"
	touch $@

demo: install
	$(BIN)/python -m alakarte demo

# the site, in docs/_build/html: every example is run, warnings are errors
docs: .venv/.documents
	rm -rf docs/_build docs/auto_examples docs/reference/generated
	$(BIN)/python -m sphinx -b html -W --keep-going -q docs docs/_build/html

.venv/.documents: .venv/.installed
	$(BIN)/python $(INSTALL) --editable ".[docs]"
	touch $@

# every page of it in a headless Chromium, narrow and wide, light and dark; and every Python block of the guides is run
test-docs: .venv/.documents
	ALAKARTE_DOCS=1 $(BIN)/python -m pytest -rs tests/house/test_guides.py tests/browser/test_site.py

test: install lint
	$(BIN)/python $(PYTEST)

# every case of the laws instead of pairwise ones
test-all: install
	ALAKARTE_ALL_CASES=1 $(BIN)/python $(PYTEST)

# fits that are killed at 20 random times and called again
test-crashes: install
	ALAKARTE_CRASHES=20 $(BIN)/python -m pytest -s tests/estimators/test_going_on.py

# reports in a headless Chromium, where one is installed: overflow, console, requests, print
test-browser: install
	ALAKARTE_BROWSER=1 $(BIN)/python -m pytest -rs tests/browser

# fits on a Dask cluster of this machine whose workers die, stop, are cut off, come and go
test-cluster: install
	$(BIN)/python -W ignore -m bench.large.disturbed

# the oldest versions of everything that pyproject.toml declares, with dask-expr, which frames of that Dask need and later
# ones contain; the oldest matplotlib uses what pyparsing 3.3 deprecates
test-oldest: .venv-oldest/.installed
	.venv-oldest/bin/python $(PYTEST)

.venv-oldest/.installed: pyproject.toml constraints-oldest.txt
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python $(INSTALL) --constraint constraints-oldest.txt --editable ".[progress,parquet,dask,plot]" pytest pytest-xdist pandas dask-expr "pyparsing<3.3"
	touch $@

# nothing but what the package itself needs
test-bare: .venv-bare/.installed
	.venv-bare/bin/python $(PYTEST)

.venv-bare/.installed: pyproject.toml
	$(PYTHON) -m venv .venv-bare
	.venv-bare/bin/python $(INSTALL) --editable . pytest pytest-xdist
	touch $@

# 10,000 damaged model files, and all forged ones, with the slowest and the largest
test-files: install
	ALAKARTE_ALL_FILES=1 $(BIN)/python -m pytest tests/model/test_container.py
	$(BIN)/python -m bench.files.damage

# atheris on the loader of model files, ten minutes
fuzz: install
	$(BIN)/python $(INSTALL) atheris
	$(BIN)/python -m bench.files.fuzz 600

coverage: install
	$(BIN)/python $(INSTALL) pytest-cov
	$(BIN)/python $(PYTEST) --cov=alakarte --cov-report=term

bench: install
	$(BIN)/python -m bench.speed

paper-smoke: install
	$(BIN)/python -m bench.paper smoke

# wheel and sdist, built, installed and tried in a fresh environment
release-check: install
	$(BIN)/python $(INSTALL) build twine
	rm -rf dist .venv-release
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python -m twine check --strict dist/*
	$(PYTHON) -m venv .venv-release
	.venv-release/bin/python $(INSTALL) dist/*.tar.gz
	.venv-release/bin/python $(INSTALL) --force-reinstall --no-deps dist/*.whl
	cd dist && ../.venv-release/bin/alakarte doctor
	cd dist && ../.venv-release/bin/python -c "import alakarte; from alakarte.display import RelevanceDisplay"

lint: install
	$(BIN)/ruff check src tests bench $(SITE)
	$(BIN)/ruff format --check src tests bench $(SITE)
	$(BIN)/mypy --strict src

format: install
	$(BIN)/ruff check --fix src tests bench $(SITE)
	$(BIN)/ruff format src tests bench $(SITE)

clean:
	rm -rf docs/_build docs/auto_examples docs/reference/generated .venv .venv-oldest .venv-bare .venv-release build dist .pytest_cache .ruff_cache .mypy_cache .coverage
