# Everything a contributor does, from a bare machine. Each step leaves a stamp, so a second run is quick.

.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/.stamps
JOBS ?= 2

.PHONY: help
help: ## this list
	@grep -hE '^[a-z][a-z0-9]*:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9]+):.*## (.*)/  make \1\t\2/' | expand -t 14

.PHONY: run
run: setup ## open the panel on your sessions, in the browser
	$(BIN)/respool open

.PHONY: test
test: check ## everything: linters, Python tests, panel tests in Node, browser tests
	$(BIN)/pytest -n $(JOBS) tests
	node --test tests/webview/*.test.*
	$(MAKE) --no-print-directory e2e

.PHONY: check
check: setup ## linters and types: ruff, mypy, import contracts, TypeScript over the panel's JavaScript
	@failed=; \
	step() { echo "· $$*"; "$$@" || failed=1; }; \
	step $(BIN)/ruff check .; \
	step $(BIN)/ruff format --check .; \
	step $(BIN)/mypy; \
	step $(BIN)/lint-imports; \
	step webview/node_modules/.bin/tsc --project webview/tsconfig.json; \
	test -z "$$failed"

.PHONY: e2e
e2e: setup ## the real server in a real browser
	$(BIN)/pytest -n $(JOBS) e2e

.PHONY: kill
kill: setup ## kill a rewind at every system call, not only at those that change something outside our store
	$(BIN)/pytest -n $(JOBS) -m kill --every-point tests

.PHONY: bench
bench: setup ## the budgets, as ratios measured in one run
	$(BIN)/python -m tests.bench

.PHONY: format
format: setup ## let ruff put the code in order
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

.PHONY: setup
setup: $(STAMPS)/python $(STAMPS)/node ## install what the other targets need

.PHONY: clean
clean: ## remove what setup made (nothing outside this folder)
	rm -rf $(VENV) webview/node_modules dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis

# ---- setup, step by step ----

# Debian packages that are not here yet. As root on Debian they are installed; elsewhere they are named.
define FIND_MISSING
	missing=(); \
	command -v node >/dev/null || missing+=(nodejs); \
	command -v npm >/dev/null || missing+=(npm); \
	command -v chromium >/dev/null || missing+=(chromium); \
	command -v strace >/dev/null || missing+=(strace); \
	$(PICK_PYTHON); \
	[ -n "$$python" ] || missing+=(python3 python3-venv)
endef

# The first interpreter that is new enough and can make a virtual environment.
define PICK_PYTHON
	python=; \
	for name in python3 python3.13 python3.12 python3.11 /usr/bin/python3; do \
	  if "$$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then python=$$name; break; fi; \
	done
endef

$(VENV)/.system:
	@mkdir -p $(VENV)
	@$(FIND_MISSING); \
	if [ $${#missing[@]} -eq 0 ]; then echo "setup: no system package is missing"; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "setup: installing Debian packages: $${missing[*]}"; \
	  apt-get update -qq; \
	  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$${missing[@]}" >/dev/null; \
	else \
	  echo "setup: missing on this machine: $${missing[*]} (install them, for example with: sudo apt-get install $${missing[*]})" >&2; \
	  for name in "$${missing[@]}"; do case $$name in nodejs|npm|python3) exit 1;; esac; done; \
	fi
	@touch $@

$(STAMPS)/python: $(VENV)/.system pyproject.toml
	@$(PICK_PYTHON); \
	[ -n "$$python" ] || { echo "setup: Python 3.11 or newer with venv is needed" >&2; exit 1; }; \
	[ -x $(BIN)/python ] || { echo "setup: $(VENV) with $$($$python --version)"; "$$python" -m venv $(VENV); }
	@echo "setup: Python packages of pyproject.toml"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/node: $(VENV)/.system webview/package.json webview/package-lock.json
	@echo "setup: Node packages of webview/package.json"
	@npm ci --prefix webview --ignore-scripts --loglevel=error >/dev/null
	@mkdir -p $(STAMPS) && touch $@
