# make env     the command at .venv/bin/latitude
# make demo    analyse the LULESH trace in examples/, leave a report to open
# make test    everything the tests need, then all tests
# make test-verbs  the verbs injector on soft-RoCE in an emulated machine, alone
# make lint    formatting, static checks
# make bench   speeds, as ratios within one run
# make fuzz    10 minutes of fuzzing each reader (needs clang)

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BUILD := build/test
JOBS ?= $(shell nproc)
CXX_SOURCES := $(shell find core runtime benchmarks fuzz -name '*.[ch]pp' -o -name '*.[ch]' 2>/dev/null)
PACKAGE := $(CXX_SOURCES) $(shell find core runtime src examples -type f -not -name '*.pyc') \
	CMakeLists.txt pyproject.toml

.PHONY: env demo test test-cpp test-python test-verbs lint format bench fuzz clean

env: $(VENV)/.installed

$(VENV)/.made:
	tools/make-venv.sh $(PYTHON) $(VENV)
	touch $@

$(VENV)/.installed: $(VENV)/.made $(PACKAGE)
	$(BIN)/pip install --quiet .
	touch $@

$(VENV)/.dev: $(VENV)/.installed
	$(BIN)/pip install --quiet '.[dev]'
	touch $@

demo: env
	$(BIN)/latitude demo --force

test: test-cpp test-python

test-cpp:
	tools/need-gtest.sh
	cmake -S . -B $(BUILD) -DLATITUDE_TESTS=ON -DLATITUDE_WERROR=ON
	cmake --build $(BUILD) --parallel $(JOBS)
	ctest --test-dir $(BUILD) --output-on-failure --parallel $(JOBS)

test-python: $(VENV)/.dev
	tools/need-slurm.sh
	tools/need-mpi.sh
	tools/need-simgrid.sh
	tools/need-ucx.sh
	tools/need-valgrind.sh
	tools/need-mpi4py-tests.sh
	tools/need-ofi.sh
	tools/need-hosts.sh
	tools/need-qemu.sh
	$(BIN)/python -m pytest tests -m 'not machine' --numprocesses $(JOBS) --dist loadfile
	$(BIN)/python -m pytest tests -m machine

test-verbs: $(VENV)/.dev
	tools/need-mpi.sh
	tools/need-ucx.sh
	tools/need-qemu.sh
	$(BIN)/python -m pytest tests/machine/test_verbs_guest.py

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tools/check-includes.py
	$(BIN)/clang-format --dry-run -Werror $(CXX_SOURCES)

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CXX_SOURCES)

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/run.py

fuzz:
	tools/fuzz.sh

clean:
	rm -rf build $(VENV) dist

schemas: $(VENV)/.installed
	$(BIN)/python -m latitude.results.schema src/latitude/results/schemas
