# Two commands do everything: `make run` and `make test`.
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	$$p -c 'import sys; raise SystemExit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint .ci/constraints.txt

# Tests wait for sockets and processes more than they compute: two workers a core.
PARALLEL ?= -n $(shell echo $$((2 * $$(nproc 2>/dev/null || echo 2)))) --dist loadfile --no-loadscope-reorder
FRONTEND := tests/frontend

# Commands that tests start read the compiled source instead of compiling it each time.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run install dev check check-python check-javascript test test-fast torture bench papers docs pictures format \
	audit hashes pin-images clean

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
torture: dev            ## kills processes, locks and stops databases, sets clocks, fills the disk, soaks for SOAK_S seconds; prints what it found
	$(BIN)/python -m tests.torture --kills 100 --engine sqlite
	$(BIN)/python -m tests.torture --kills 30 --engine postgresql
	$(BIN)/python -m tests.torture.chaos
	$(BIN)/python -m tests.torture.chaos --engine postgresql
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

AUDIT := $(VENV)-audit
$(AUDIT)/installed: .ci/constraints.txt | $(VENV)/bin/python
	$(VENV)/bin/python -m venv $(AUDIT)
	$(AUDIT)/bin/python -m pip install --quiet --disable-pip-version-check --constraint $< pip-audit cyclonedx-bom uv
	@touch $@

audit: $(AUDIT)/installed ## known vulnerabilities of all pinned packages; writes the SBOM of the image to build/wattline.cdx.json
	@mkdir -p build
	$(AUDIT)/bin/cyclonedx-py requirements --pyproject pyproject.toml --mc-type application --output-reproducible \
		--output-file build/wattline.cdx.json .ci/requirements.txt
	$(AUDIT)/bin/pip-audit --strict --no-deps --disable-pip --requirement .ci/constraints.txt

# The image's packages are those of .ci/constraints.txt, for the Python version of the Dockerfile.
HASHES = $(AUDIT)/bin/uv pip compile --quiet --upgrade --no-annotate --generate-hashes --custom-compile-command 'make hashes' \
	--constraint .ci/constraints.txt --python-platform linux \
	--python-version $(shell sed -n 's/^FROM python:\([0-9.]*\).*/\1/p' Dockerfile | head -n 1)
hashes: $(AUDIT)/installed ## writes .ci/requirements*.txt from .ci/constraints.txt, with the hashes of every file
	$(HASHES) --extra figures --extra xlsx --output-file .ci/requirements.txt pyproject.toml
	echo hatchling | $(HASHES) --output-file .ci/requirements-build.txt -

pin-images:             ## pins the images of Dockerfile and docker-compose.yml by the digests that their registry states; needs docker
	@for image in $$(sed -n 's/^FROM \([a-z][^ @]*:[^ @]*\).*/\1/p; s/^ *image: \([^ @]*\).*/\1/p' Dockerfile docker-compose.yml | sort -u); do \
		digest=$$(docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$$image") || exit 1; \
		sed -i "s#\(FROM \|image: \)$$image\(@sha256:[0-9a-f]*\)\{0,1\}#\1$$image@$$digest#" Dockerfile docker-compose.yml; \
		echo "$$image@$$digest"; \
	done

clean:
	rm -rf .venv .venv-docker .venv-audit var build $(FRONTEND)/node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis
