# The dozen commands of this repository. `make demo` and `make test` need nothing but Python 3.11+.

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
LUA := $(wildcard broker/onefate/broker/ledger/lua/*.lua)
ARGS ?=

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_INPUT := 1
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1

.DEFAULT_GOAL := help
.PHONY: help setup demo test check format requirements docs build clean

help:
	@echo "make demo          watch one fire come to rest, with a server of its own"
	@echo "make test          run the tests (ARGS='tests/ledger -k settle')"
	@echo "make check         lint, types, layers, Lua, generated files, requirement files"
	@echo "make format        rewrite the code in the house format"
	@echo "make docs          rewrite the generated pages"
	@echo "make requirements  recompile requirements/*.txt from pyproject.toml"
	@echo "make build         source distribution, and the wheel built from it, in dist/"
	@echo "make setup         only prepare $(VENV)"
	@echo "make clean         remove everything that was generated, $(VENV) included"

setup: $(READY)

$(READY): requirements/dev.txt pyproject.toml
	@echo "preparing $(VENV) from hashed requirements; the first time takes a minute or two"
	@test -x $(BIN)/python || $${PYTHON:-$$(tools/find-python)} -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --quiet --require-hashes -r requirements/dev.txt
	@$(BIN)/python -m pip install --quiet --quiet --no-deps --no-build-isolation --editable .
	@touch $@

demo: setup
	@$(BIN)/onefate demo $(ARGS)

test: setup
	@PYTHONWARNDEFAULTENCODING=1 $(BIN)/python -m pytest $(ARGS)

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pyright
	$(BIN)/lint-imports
	@if command -v luacheck >/dev/null; then set -x; luacheck --quiet $(LUA); \
		else echo "luacheck is not installed: Lua was not linted"; fi
	$(BIN)/python -m tests.pages --check
	tools/requirements --check

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: setup
	$(BIN)/python -m tests.pages

requirements: setup
	tools/requirements

build: setup
	rm -rf dist
	$(BIN)/python -m hatchling build -t sdist
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist dist/*.tar.gz

clean:
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .coverage*
	find broker port workers tests -name __pycache__ -type d -prune -exec rm -rf {} +
