# `make run` and `make test` are the two commands; both work on a machine with Python >= 3.11 (with venv) and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUNTIME := $(VENV)/.runtime
DEV := $(VENV)/.dev
BENCH := $(VENV)/.bench
LOAD := $(VENV)/.load
CONTRACT := service/contract.binpb
NODE_MODULES := clients/node/node_modules/.installed
STUBS := clients/python/umpire/__init__.py
PROTOS := $(shell find proto -name '*.proto')

.DEFAULT_GOAL := help
.PHONY: help run test check format contract stubs lock readme bench load capacity clean

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

run: $(RUNTIME) $(CONTRACT) $(STUBS) ## serve on this machine
	@exec $(BIN)/umpire serve

test: $(DEV) $(CONTRACT) $(STUBS) $(NODE_MODULES) ## run all tests, a file each in one of two processes
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

check: $(DEV) $(CONTRACT) $(STUBS) ## format, lint, types, contract
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/buf lint
	$(BIN)/buf format --diff --exit-code --path proto/umpire
	$(BIN)/buf breaking --against proto/released.binpb

format: $(DEV) ## format the code and the contract
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/buf format --write --path proto/umpire

contract: $(CONTRACT) ## compile proto/ for the service

$(CONTRACT): $(PROTOS) scripts/compile_contract.py | $(RUNTIME)
	$(BIN)/python scripts/compile_contract.py

stubs: $(STUBS) ## generate clients/python/umpire from proto/

$(STUBS): $(PROTOS) scripts/generate_stubs.py | $(RUNTIME)
	$(BIN)/python scripts/generate_stubs.py

lock: $(DEV) ## pin the newest versions of what requirements/*.in names
	for name in runtime build bench load tracing dev; do \
	  $(BIN)/pip-compile -q --upgrade --generate-hashes --allow-unsafe --strip-extras --no-emit-index-url --no-emit-trusted-host \
	    --no-emit-find-links --no-emit-options -o requirements/$$name.txt requirements/$$name.in || exit 1; \
	done
	cd clients/node && PATH="$(CURDIR)/$(BIN):$$PATH" npm run --silent lock

readme: $(RUNTIME) ## write the tables of settings and metrics
	$(BIN)/python scripts/write_settings.py
	$(BIN)/python scripts/write_metrics.py
	$(BIN)/python scripts/write_dashboards.py

bench: $(BENCH) $(CONTRACT) ## measure the service beside a bare echo, in one run (bench.json)
	$(BIN)/python -m loadtests.bench --json bench.json

load: $(LOAD) $(CONTRACT) $(STUBS) ## play whole matches for two minutes and check what the clients are told (LOAD_OPTIONS=…)
	$(BIN)/python -m loadtests.load $(LOAD_OPTIONS)

capacity: $(LOAD) $(CONTRACT) ## measure what moves and matches cost, and write deploy/CAPACITY.md
	$(BIN)/python -m loadtests.capacity

clean: ## remove what was built; the matches in .umpire stay
	rm -rf $(VENV) $(CONTRACT) $(dir $(NODE_MODULES)) clients/python/umpire *.egg-info clients/*/*.egg-info build clients/*/build

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)

$(RUNTIME): requirements/runtime.txt requirements/build.txt pyproject.toml clients/python/pyproject.toml clients/terminal/pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements/build.txt -r requirements/runtime.txt
	$(BIN)/python scripts/generate_stubs.py
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e . -e clients/python -e clients/terminal
	@touch $@

$(BENCH): requirements/bench.txt $(RUNTIME)
	$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements/bench.txt
	@touch $@

$(LOAD): requirements/load.txt $(RUNTIME)
	$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements/load.txt
	@touch $@

$(DEV): requirements/dev.txt requirements/load.txt requirements/tracing.txt $(RUNTIME)
	$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements/load.txt -r requirements/tracing.txt -r requirements/dev.txt
	@touch $@

# No package runs a script of its own on this machine.
$(NODE_MODULES): clients/node/package.json clients/node/package-lock.json | $(DEV)
	cd clients/node && PATH="$(CURDIR)/$(BIN):$$PATH" npm ci --silent --ignore-scripts --no-audit --no-fund --no-update-notifier
	@touch $@
