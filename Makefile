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

.NOTPARALLEL:

.PHONY: help
help: ## this list
	@grep -hE '^[a-z][a-z0-9]*:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9]+):.*## (.*)/  make \1\t\2/' | expand -t 14

.PHONY: run
run: $(STAMPS)/python ## open the panel on your sessions, in the browser
	$(BIN)/respool open

.PHONY: test
test: setup $(STAMPS)/claude check ## everything: linters, Python tests, panel tests in Node, browser tests
	$(BIN)/pytest -n $(JOBS) tests
	node --test tests/webview/*.test.*
	$(MAKE) --no-print-directory e2e

.PHONY: check
check: $(STAMPS)/python $(STAMPS)/node ## linters and types: ruff, mypy, import contracts, TypeScript over the panel's JavaScript
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
format: $(STAMPS)/python ## let ruff put the code in order
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

.PHONY: setup
setup: $(STAMPS)/system-test $(STAMPS)/python $(STAMPS)/node ## install what the other targets need

.PHONY: clean
clean: ## remove what setup made (nothing outside this folder)
	rm -rf $(VENV) webview/node_modules dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis

# ---- setup, step by step ----

# What is needed of the system, by the names of Debian's packages; libatomic1 is for the Node inside Playwright.
PYTHON_NEEDS := python3 python3-venv
NODE_NEEDS := nodejs npm
TEST_NEEDS := $(PYTHON_NEEDS) $(NODE_NEEDS) chromium strace libatomic1

# The first interpreter that is new enough and can make a virtual environment.
define PICK_PYTHON
	python=; \
	for name in python3 python3.14 python3.13 python3.12 python3.11 /usr/bin/python3; do \
	  if "$$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then python=$$name; break; fi; \
	done
endef

# Those of a list that are not here, or too old.
define FIND_MISSING
	$(PICK_PYTHON); missing=; \
	for package in $(1); do \
	  case $$package in \
	    python3|python3-venv) test -n "$$python";; \
	    nodejs) node -e 'process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)' 2>/dev/null;; \
	    libatomic1) test ! -x /sbin/ldconfig || /sbin/ldconfig -p | grep 'libatomic[.]so[.]1 ' >/dev/null;; \
	    *) command -v $$package >/dev/null;; \
	  esac || missing="$$missing $$package"; \
	done
endef

# As root on Debian they are installed; elsewhere they are named.
define PROVIDE
	@$(call FIND_MISSING,$(1)); \
	if [ -n "$$missing" ] && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "setup: installing Debian packages:$$missing"; \
	  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing >/dev/null; } || \
	    { echo "setup: apt-get could not install them (is there a network?)" >&2; exit 1; }; \
	  $(call FIND_MISSING,$(1)); \
	fi; \
	if [ -n "$$missing" ]; then \
	  echo "setup: missing on this machine:$$missing (Python 3.11, Node.js 18 or newer)" >&2; \
	  echo "setup: install them and try again; on Debian: sudo apt-get install$$missing" >&2; \
	  exit 1; \
	fi
	@mkdir -p $(STAMPS) && touch $@
endef

$(STAMPS)/system-python: Makefile
	$(call PROVIDE,$(PYTHON_NEEDS))

$(STAMPS)/system-node: Makefile
	$(call PROVIDE,$(NODE_NEEDS))

$(STAMPS)/system-test: Makefile
	$(call PROVIDE,$(TEST_NEEDS))

$(STAMPS)/python: pyproject.toml | $(STAMPS)/system-python
	@$(PICK_PYTHON); \
	$(BIN)/python -m pip --version >/dev/null 2>&1 || { echo "setup: $(VENV) with $$($$python --version)"; "$$python" -m venv --clear $(VENV); }
	@echo "setup: Python packages of pyproject.toml"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]' || \
	  { echo "setup: pip could not install them (is there a network?)" >&2; exit 1; }
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/node: webview/package.json webview/package-lock.json | $(STAMPS)/system-node
	@echo "setup: Node packages of webview/package.json"
	@npm ci --prefix webview --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null || \
	  { echo "setup: npm could not install them (is there a network?)" >&2; exit 1; }
	@mkdir -p $(STAMPS) && touch $@

# Kept outside the clone, below the user's cache folder; it may not be passed on, so everybody fetches it.
$(STAMPS)/claude: tests/real/install.py | $(STAMPS)/python
	@$(BIN)/python -m tests.real.install
	@touch $@
