# Each target builds the environment that it needs. PYTHON names the interpreter, CONSTRAINTS the versions to install:
# `make venv CONSTRAINTS=/dev/null` takes the newest.
PYTHON ?= python3
CONSTRAINTS ?= constraints.txt

BIN := .venv/bin
READY := .venv/.ready
SPARK := .venv/.ready-for-spark
DOCS := .venv/.ready-for-docs
SITE := build/site
LOWEST := .venv-lowest/.ready
LOCKING := .venv-lock/bin/python -m pip
PYTEST := -m pytest -q -n auto --dist loadgroup
EXTRAS := baselines,pandas,plot,visualization
PAGE := src/honem/explore/static

.DEFAULT_GOAL := help
.PHONY: help venv demo test test-all test-lowest fuzz lint format docs docs-links package web web-check web-compare browser bench lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

# $(call new_venv,folder): an empty environment whose pip knows dependency groups.
define new_venv
	$(PYTHON) -c 'import sys; sys.exit("honem needs Python 3.11 or newer; try make PYTHON=python3.11") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(1)
	$(1)/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
endef

$(READY): pyproject.toml constraints.txt
	$(call new_venv,.venv)
	$(BIN)/python -m pip install --quiet -c $(CONSTRAINTS) --editable . --group dev
	touch $@

# PySpark is half a gigabyte: needed for type checks and tests, but not for the demo.
$(SPARK): $(READY)
	$(BIN)/python -m pip install --quiet -c $(CONSTRAINTS) --editable '.[spark]'
	touch $@

$(DOCS): $(READY)
	$(BIN)/python -m pip install --quiet -c $(CONSTRAINTS) --group docs
	touch $@

$(LOWEST): pyproject.toml constraints-lowest.txt
	$(call new_venv,.venv-lowest)
	.venv-lowest/bin/python -m pip install --quiet --only-binary :all: -c constraints-lowest.txt --editable '.[$(EXTRAS)]' --group test
	touch $@

venv: $(READY) ## build .venv from constraints.txt

demo: $(READY) ## embed generated trips and draw them
	$(BIN)/honem demo -o demo

test: lint ## check style and types, and run the quick tests
	$(BIN)/python $(PYTEST)

test-all: lint ## run all tests, with many more generated corpora
	HONEM_HYPOTHESIS=thorough $(BIN)/python $(PYTEST) -m "slow or not slow"

fuzz: $(READY) ## damage input files and stores in many ways
	HONEM_FUZZ_ROUNDS=25 $(BIN)/python $(PYTEST) tests/faults -m "slow or not slow"

# Numba's cache is kept apart: each version of Numba discards the compiled code of another.
test-lowest: $(LOWEST) ## run tests with the lowest supported versions of the dependencies
	HONEM_HYPOTHESIS=brief NUMBA_CACHE_DIR=$(CURDIR)/.venv-lowest/numba .venv-lowest/bin/python $(PYTEST) tests \
		--ignore tests/cli --ignore tests/docs --ignore tests/evaluation/reproduce --ignore tests/rules/engines/distributed

lint: $(SPARK) ## check style, types and the installed packages
	$(BIN)/python -m pip check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(READY) ## format the code and apply safe fixes
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(DOCS) ## build the documentation site into build/site; warnings and broken links are errors
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going -d build/doctrees docs $(SITE)
	$(BIN)/python .ci/check_site.py $(SITE)
	@echo "Open $(SITE)/index.html"

docs-links: $(DOCS) ## follow the links of the documentation that lead to other sites (needs the network)
	$(BIN)/python -m sphinx --quiet -b linkcheck -d build/doctrees docs build/links

# The wheel is built from the sdist, so that both are complete, and the README is run with nothing else installed.
package: ## build wheel and sdist into build/dist, install the wheel in an empty environment, and run the README there
	rm -rf build/dist build/venv
	$(call new_venv,build/venv/build)
	build/venv/build/bin/python -m pip install --quiet -c $(CONSTRAINTS) --group package
	build/venv/build/bin/hatchling build -t sdist -d build/dist
	build/venv/build/bin/python -m pip wheel --quiet --no-build-isolation --no-deps -w build/dist build/dist/*.tar.gz
	$(call new_venv,build/venv/empty)
	build/venv/empty/bin/python -m pip install --quiet -c $(CONSTRAINTS) build/dist/*.whl
	build/venv/empty/bin/python -m pip check
	$(PYTHON) .ci/check_package.py build/dist build/venv/empty/bin/python

# The page's script is committed, so that Node is needed only to change it.
web: web/node_modules/.package-lock.json ## build the page's script into the package (needs Node)
	cd web && npm run build

web-check: ## check that the committed script of the page is up to date (skipped without Node)
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory web-compare; \
		else echo "SKIPPED: npm not found; install Node to check the page's script"; fi

web-compare: web/node_modules/.package-lock.json
	rm -rf build/page
	cd web && npm run check && npm run build ../build/page
	@diff -rq $(PAGE) build/page || { echo "$(PAGE) differs from what web/ builds: run make web" >&2; exit 1; }

web/node_modules/.package-lock.json: web/package-lock.json
	cd web && npm ci --ignore-scripts --no-audit --no-fund

# Without Chromium, the tests of the page are skipped.
browser: ## install Chromium for the tests of the page (Debian, as root)
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; } || \
		echo "Chromium not found, and not installable with apt-get: the tests of the page will be skipped"

bench: $(SPARK) ## run the benchmarks
	$(BIN)/python -m pip install --quiet -c $(CONSTRAINTS) --group bench
	$(BIN)/python benchmarks/extract.py
	$(BIN)/python benchmarks/factorize.py
	$(BIN)/python benchmarks/update.py generated
	$(BIN)/python benchmarks/read.py
	$(BIN)/python benchmarks/explore.py
	$(BIN)/python benchmarks/spark.py

lock: ## write constraints.txt and constraints-lowest.txt anew
	rm -rf .venv-lock
	$(call new_venv,.venv-lock)
	$(LOCKING) install --quiet --editable '.[spark]' --group dev --group bench --group docs --group package
	$(LOCKING) freeze --exclude-editable > constraints.txt
	rm -rf .venv-lock
	$(call new_venv,.venv-lock)
	$(PYTHON) .ci/lower_bounds.py > .venv-lock/lower_bounds.txt
	$(LOCKING) install --quiet --only-binary :all: --no-binary pyspark -c .venv-lock/lower_bounds.txt --editable '.[$(EXTRAS),spark]' --group test
	$(LOCKING) freeze --exclude-editable > constraints-lowest.txt
	rm -rf .venv-lock

clean: ## remove environments, caches and built files
	rm -rf .venv .venv-lowest .venv-lock build demo web/node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis
