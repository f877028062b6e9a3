# make run        the main job: about two minutes on two cores, no GPU needed
# make test       linter, types, and all tests that take no GPU and no patience
# make test-slow  the tests that take patience: rates against references, every kernel's PTX, deep perft
# make gpu-check  the tests and the benchmark that need a CUDA device, into $(OUT), with the words of $(CHECK)
# make bench      speeds on this machine, beside OpenSpiel's
# make lint       linter and types alone

PYTHON ?= python3
# The CUDA version that the driver supports, by nvidia-smi; empty where that is not there.
DRIVER := $(shell nvidia-smi 2>/dev/null | sed -n 's/.*CUDA[A-Za-z ]* Version *: *\([0-9][0-9]*\).*/\1/p' | head -n 1)
CUDA ?= $(if $(DRIVER),$(shell [ $(DRIVER) -lt 13 ] && echo $(DRIVER) || echo 13),13)
JOBS ?= 2
OUT ?= outputs/gpu-check
CHECK ?=

VENV := .venv
BIN := $(VENV)/bin
PIN := $(if $(filter 12,$(CUDA)),constraints-cuda12.txt,constraints.txt)
NEEDS := pyproject.toml constraints.txt constraints-cuda12.txt

.PHONY: run test test-slow lint style bench gpu-check old-driver clean

run: $(VENV)/installed
	$(BIN)/python -m experiments.match experiment=main

test: style
	@$(BIN)/pyright --pythonpath $(BIN)/python >$(VENV)/types.txt & types=$$!; \
		$(BIN)/python -m pytest -n $(JOBS) --dist loadfile; tests=$$?; \
		wait $$types; wrong=$$?; cat $(VENV)/types.txt; exit $$((tests ? tests : wrong))

test-slow: $(VENV)/installed-dev
	$(BIN)/python -m pytest -n $(JOBS) -m "slow and not gpu"

lint: style
	$(BIN)/pyright --pythonpath $(BIN)/python

style: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet gpumcts experiments benchmarks tests

bench: $(VENV)/installed-dev
	$(BIN)/python -m experiments.bench

gpu-check: $(if $(filter 12 13,$(CUDA)),$(VENV)/installed-cuda$(CUDA),old-driver)
	$(BIN)/python -m experiments.gpu_check $(OUT) $(CHECK)

old-driver:
	@echo "error: CUDA=$(CUDA): there are CUDA=12 and CUDA=13, and this driver supports CUDA $(or $(DRIVER),of a version not known)" >&2
	@exit 1

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' \
		|| { echo "error: $(PYTHON) is not Python 3.11 to 3.13; name one: make PYTHON=python3.12 ..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: $(NEEDS) | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e . -c constraints.txt
	@touch $@

$(VENV)/installed-dev: $(NEEDS) | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]" -c constraints.txt
	@touch $@ $(VENV)/installed

$(VENV)/installed-cuda$(CUDA): $(NEEDS) | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[test,cuda$(CUDA)]" -c $(PIN)
	@touch $@ $(VENV)/installed

clean:
	rm -rf $(VENV) build *.egg-info .pytest_cache .ruff_cache
