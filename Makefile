# `make` lists the targets. The two that a newcomer needs: `make run` and `make test`.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run test test-slow test-all lint types layers js node-tests pytest test-faults test-asking test-advice test-promises test-autoscaling test-mutations test-classes test-rules fuzz bench bench-browser walk format messages lock clean venv venv-dev

PYTHON ?= python3
PORT ?= 8000
JOBS ?= 2
VENV := .venv
PY := $(VENV)/bin/python
PYTEST := $(PY) -m pytest --numprocesses $(JOBS) --dist loadfile --no-loadscope-reorder
NPM := $(shell command -v npm 2>/dev/null)
NODE := $(shell command -v node 2>/dev/null)
BIOME := node_modules/.bin/biome
LOG := $(VENV)/install.log
export PYTHONDONTWRITEBYTECODE = # else each process of the tests compiles all of it again
INSTALL := $(PY) -m pip install --disable-pip-version-check --require-hashes --requirement
INSTALL_UV := $(INSTALL) requirements-uv.lock --quiet --retries 1 --only-binary :all: --no-compile
UV_COMPILE := $(VENV)/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --upgrade

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: $(VENV)/.installed  ## set everything up and serve http://127.0.0.1:8000 (another port: make run PORT=8001)
	@exec $(PY) manage.py up --port $(PORT)

test: venv-dev node_modules/.installed  ## set up what tests need, then run the checks and the tests that are not slow: a few minutes
	@$(MAKE) --no-print-directory --jobs $(JOBS) lint types layers js node-tests
	@$(MAKE) --no-print-directory pytest

test-slow: venv-dev node_modules/.installed  ## the other tests: most browser tests, attacks and faults, every recorded and random case
	@$(PYTEST) -m slow

test-all: test  ## what CI runs: both
	@$(MAKE) --no-print-directory test-slow

lint: venv-dev  ## ruff: mistakes and format; deptry: imported packages are declared
	@$(VENV)/bin/ruff check . && $(VENV)/bin/ruff format --check . && $(VENV)/bin/deptry .

types: venv-dev  ## mypy, strict
	@$(VENV)/bin/mypy

layers: venv-dev  ## import-linter: imports point downwards only
	@$(VENV)/bin/lint-imports --no-logo

js: node_modules/.installed  ## the browser's code and styles: biome (mistakes and format) and tsc --checkJs
	@if [ -z "$(NPM)" ]; then $(call without_node,biome and tsc); \
	else $(BIOME) check --error-on-warnings && node_modules/.bin/tsc --project tsconfig.json && echo "tsc: no errors"; fi

node-tests: node_modules/.installed  ## the browser's modules, tested in Node
	@if [ -z "$(NODE)" ]; then $(call without_node,node --test); \
	else $(NODE) --test --test-reporter=spec $$(find tests/js -name '*.test.js' | sort); fi

pytest: venv-dev node_modules/.installed  ## the tests in Python that are not slow, two files at a time (more: JOBS=n)
	@$(PYTEST) -m "not slow"

test-autoscaling: venv-dev  ## what autoscalers promise, over 3,000 random clusters
	@KSCHEDUI_PROMISES=3000 $(PYTEST) tests/core/autoscaling

test-faults: venv-dev  ## of the slow tests: attacks and faults against running stacks, where parts are killed, filled up or taken away
	@$(PYTEST) tests/faults

test-promises: venv-dev  ## 10,000 random sequences: surge, budgets, ordinals, one pod a node, what kubelets allocate, the parts of each pod's time (KSCHEDUI_SEQUENCES=n for others)
	@KSCHEDUI_SEQUENCES=$${KSCHEDUI_SEQUENCES:-10000} $(PY) -m pytest -q tests/core/controllers/test_promises.py tests/core/ask/test_durations.py

test-asking: venv-dev  ## ask everything about every attempt of every lesson, difference and group
	@KSCHEDUI_ASK_ALL=1 $(PY) -m pytest -q tests/web/runs/test_every_attempt_is_answered.py

test-advice: venv-dev  ## the smallest change against trying every edit, on 3,000 small clusters (KSCHEDUI_ADVICE=n for others)
	@KSCHEDUI_ADVICE=$${KSCHEDUI_ADVICE:-3000} $(PY) -m pytest -q tests/core/ask/test_advice_against_trying_everything.py
	@KSCHEDUI_ANSWERS=$${KSCHEDUI_ANSWERS:-1000} $(PY) -m pytest -q tests/core/ask/operations

test-mutations: venv-dev  ## 20,000 mutated requests and 2,000 mutated manifests (KSCHEDUI_MUTATIONS=n for others)
	@KSCHEDUI_MUTATIONS=$${KSCHEDUI_MUTATIONS:-20000} $(PY) -m pytest -q -s tests/web/api/test_mutations.py

test-classes: venv-dev  ## a class against its model, by 600 random sequences of what teacher, phones and network do (KSCHEDUI_CLASSES=n for others)
	@KSCHEDUI_CLASSES=$${KSCHEDUI_CLASSES:-600} $(PY) -m pytest -q tests/web/classes/test_class_model.py

test-rules: venv-dev  ## 5,000 random CEL expressions as rules (KSCHEDUI_RULES=n for others)
	@KSCHEDUI_RULES=$${KSCHEDUI_RULES:-5000} $(PY) -m pytest -q tests/core/plugins/test_rule_limits.py

fuzz: venv-dev  ## the engine against the plain reference, 20,000 random scenarios (KSCHEDUI_FUZZ_EXAMPLES=n for others)
	@KSCHEDUI_FUZZ_EXAMPLES=$${KSCHEDUI_FUZZ_EXAMPLES:-20000} $(PY) -m pytest -q tests/core/test_reference.py

bench: venv-dev  ## measure the engine and the stream: tables on standard output
	@set -e; for file in $$(find tests/bench -name 'bench_*.py' ! -name '*browser*' | sort); do $(PY) $$file; done

bench-browser: venv-dev  ## measure the player in Chromium
	@set -e; for file in $$(find tests/bench -name 'bench_*browser*.py' | sort); do $(PY) $$file; done

walk: venv-dev  ## play every lesson and recorded scenarios in Chromium, at all sizes, in both languages, light and dark; look for what tells an answer
	@KSCHEDUI_WALK=all $(PY) -m pytest -q tests/e2e/walker tests/e2e/test_spoilers.py

format: venv-dev node_modules/.installed  ## let ruff format the Python files, and biome the browser's
	@$(VENV)/bin/ruff check --quiet --fix . ; $(VENV)/bin/ruff format .
	@if [ -n "$(NPM)" ]; then $(BIOME) check --write; fi

messages: venv-dev  ## collect and compile the pages' translations (needs gettext)
	@$(PY) manage.py makemessages --locale zh_Hans --no-obsolete --ignore .venv --ignore node_modules --ignore tests && $(PY) manage.py compilemessages --ignore .venv

lock: venv-dev  ## resolve pyproject.toml into lock files with hashes, and the version of uv too, for Linux and macOS
	@$(PY) -m pip install --quiet --upgrade uv
	@echo uv | $(UV_COMPILE) - --output-file requirements-uv.lock
	@$(UV_COMPILE) pyproject.toml --output-file requirements.lock
	@$(UV_COMPILE) pyproject.toml --extra dev --constraint requirements.lock --output-file requirements-dev.lock

clean:  ## remove what make made, except your data in var/
	rm -rf $(VENV) node_modules staticfiles .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis

venv: $(VENV)/.installed  ## make .venv with what running needs

venv-dev: $(VENV)/.installed-dev  ## make .venv with what tests need too

# --- What the targets above need ----------------------------------------------------------------------------------

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "kschedui needs Python 3.11 or later: install it, or name one: make run PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "This Python cannot make virtual environments: install its venv package (Debian: apt install python3-venv)" >&2; \
	  exit 1; }
	@echo "Setting up $(VENV) ..."
	@$(PYTHON) -m venv $(VENV) || { echo "The folder $(VENV) could not be made here: see above." >&2; exit 1; }
	@touch $@

# uv takes a fifth of pip's time. It does not read pip's settings: where only those lead to packages, pip installs them.
$(VENV)/.installed: requirements.lock | $(VENV)/.created
	@test -e $(VENV)/.installed-dev || { echo "Installing the locked dependencies ..."; \
	  { $(INSTALL_UV) && $(VENV)/bin/uv pip install --quiet --python $(PY) --require-hashes --requirement requirements.lock; } \
	    > $(LOG) 2>&1 || $(call install,requirements.lock); }
	@touch $@

$(VENV)/.installed-dev: requirements-dev.lock | $(VENV)/.created
	@echo "Installing the locked dependencies, with the tools for tests ..."
	@$(call install,requirements-dev.lock)
	@touch $(VENV)/.installed $@

# What pip prints goes to a file; what went wrong is one sentence, since everything has wheels for the usual machines.
define install
$(INSTALL) $(1) > $(LOG) 2>&1 || { \
  if grep -qE "command '[^']*(gcc|cc|clang)[^']*' failed|error: metadata-generation-failed|Failed (to build|building wheel)" $(LOG); \
  then echo "A dependency has no ready-made package for this machine, and compiling it failed: install a C compiler and Python's headers (Debian: apt install build-essential python3-dev); details: $(LOG)" >&2; \
  else echo "The dependencies could not be installed: $$(grep -m1 '^ERROR' $(LOG)) (details: $(LOG))" >&2; fi; exit 1; }
endef

# Says what is left out where there is no Node.js, which only tests need; an error where it was asked for.
without_node = echo "SKIPPED: $(1), since there is no Node.js with npm on this machine" >&2; test -z "$$KSCHEDUI_REQUIRE_NODE"

node_modules/.installed: package-lock.json
	@if [ -z "$(NPM)" ]; then mkdir -p node_modules; $(call without_node,axe-core); \
	else npm ci --no-fund --no-audit --loglevel=error && touch $@; fi
