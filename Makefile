# Every target builds its own .venv when there is none; PYTHON says which Python makes it.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
SPARK := .venv/.ready-for-spark

.PHONY: venv demo web browser test test-all bench lint format clean

venv: $(READY)

$(READY): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("honem needs Python 3.11 or newer; try make PYTHON=python3.11") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable . --group dev
	touch $(READY)

# PySpark is half a gigabyte: for checks of types and tests, not for those who only want to see the demo.
$(SPARK): $(READY)
	$(BIN)/python -m pip install --quiet --editable '.[spark]'
	touch $(SPARK)

demo: $(READY)
	$(BIN)/honem demo -o demo

# The page's script is built from web/ and kept in the package, so that nobody who only uses honem needs Node.
web:
	cd web && npm ci --no-audit --no-fund && npm run build

# Chromium for the tests of the page; where it cannot be had those tests are skipped, and say so.
browser:
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; } || \
		echo "no Chromium, and no Debian package manager to install it with: the tests of the page will be skipped"

test: lint
	$(BIN)/python -m pytest -q -n auto --dist loadgroup

test-all: lint
	HONEM_HYPOTHESIS=thorough $(BIN)/python -m pytest -q -n auto --dist loadgroup -m "slow or not slow"

bench: $(SPARK)
	$(BIN)/python -m pip install --quiet --group bench
	$(BIN)/python benchmarks/extract.py
	$(BIN)/python benchmarks/factorize.py
	$(BIN)/python benchmarks/read.py
	$(BIN)/python benchmarks/explore.py
	$(BIN)/python benchmarks/spark.py

lint: $(SPARK)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf .venv demo .mypy_cache .ruff_cache .pytest_cache .hypothesis
