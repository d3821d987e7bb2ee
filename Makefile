# Two commands do everything: `make run` and `make test`.
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	$$p -c 'import sys; raise SystemExit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint .ci/constraints.txt

# Tests wait for sockets and processes more than they compute: two workers a core.
PARALLEL ?= -n $(shell echo $$((2 * $$(nproc 2>/dev/null || echo 2)))) --dist loadfile --no-loadscope-reorder
FRONTEND := tests/frontend

.PHONY: run install dev check check-python check-javascript test test-fast torture bench papers docs pictures format clean

run: install            ## install, start the demo facility, dashboard on http://127.0.0.1:8000
	@exec $(BIN)/wattline up --demo

install: $(VENV)/installed ## everything needed to run, into $(VENV)

dev: $(VENV)/installed-dev ## and what the tests and checks need

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "Wattline needs Python 3.11 or newer: install it, or run make PYTHON=/path/to/python3"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml .ci/constraints.txt | $(VENV)/bin/python
	$(PIP) --editable .
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(PIP) --editable '.[dev]'
	@touch $@

check: check-python check-javascript ## every check of the source

check-python: dev       ## ruff and mypy (strict)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

check-javascript:       ## tsc (strict), ESLint, Prettier and the unit tests of frontend/js; needs Node 20.19 or newer
	@if command -v node >/dev/null && command -v npm >/dev/null; then \
		$(MAKE) --no-print-directory $(FRONTEND)/node_modules/.installed && npm --prefix $(FRONTEND) run --silent check; \
	elif [ "$$CI" = true ]; then \
		echo "the JavaScript checks need node and npm: install Node 20.19 or newer"; exit 1; \
	else \
		echo "skipped the JavaScript checks: node and npm are not installed"; \
	fi

$(FRONTEND)/node_modules/.installed: $(FRONTEND)/package.json $(FRONTEND)/package-lock.json
	npm --prefix $(FRONTEND) ci --no-fund --no-audit --loglevel=error
	@touch $@

test: dev               ## the whole test suite
	$(BIN)/python -m pytest $(PARALLEL)

test-fast: dev          ## without browser, third-party captures, Slurm, PostgreSQL and what takes seconds
	$(BIN)/python -m pytest $(PARALLEL) -m "not (slow or e2e or conformance or slurm or postgresql)"

SOAK_S ?= 3600
torture: dev            ## kills processes, locks the database, fills the disk, soaks for SOAK_S seconds; prints what it found
	$(BIN)/python -m tests.torture --kills 100 --engine sqlite
	$(BIN)/python -m tests.torture --kills 30 --engine postgresql
	$(BIN)/python -m tests.torture.chaos
	$(BIN)/python -m tests.torture.soak --seconds $(SOAK_S)

bench: dev              ## prints figures and ratios; never a test
	$(BIN)/python -m tests.benchmarks

papers: dev             ## measures the simulated machines of three papers and writes docs/papers.md, in minutes
	$(BIN)/python -m tests.papers

docs: dev               ## the documentation as a site in build/docs; a broken link is an error
	$(BIN)/python -m sphinx -b html -W --keep-going -q -d build/doctrees docs build/docs
	@echo "open build/docs/index.html"

pictures: dev           ## takes the pictures of README.md from the running demo; look at each before you commit it
	$(BIN)/python -m tests.docs.pictures

format: dev             ## rewrite what ruff and Prettier can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	@if [ -d $(FRONTEND)/node_modules ]; then npm --prefix $(FRONTEND) run --silent format; fi

clean:
	rm -rf .venv .venv-docker var build $(FRONTEND)/node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis
