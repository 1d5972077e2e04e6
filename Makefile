# make env     the command at .venv/bin/latitude
# make demo    analyse the LULESH trace in examples/, leave a report to open
# make test    everything the tests need, then those that a contributor must see, in 10 minutes
# make test-all  all tests of what holds at any load
# make test-timing  upper bounds, accuracy, overheads, speed: pass, fail, or cannot tell here
# make test-verbs  the verbs injector on soft-RoCE in an emulated machine, alone
# make mutants small defects in a copy of the tree: which test notices each (half an hour)
# make lint    formatting, static checks
# make bench   speeds, as ratios within one run
# make sanitize-threads    the C++ tests, and reading traces in parallel, under TSan
# make sanitize-addresses  the C++ tests under ASan and UBSan
# make fuzz    10 minutes of fuzzing each reader (needs clang)
# make wheel   a wheel for other machines, and the source archive, in dist/
# make docs    the documentation as a site and as manual pages, in build/documentation
# make charts  the script that pages draw with, from plotly.js (needs node, npm and the network)
# make schemas the JSON schemas, from the declared results

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BUILD := build/test
WHEELS := build/wheels
JOBS ?= $(shell nproc)
# Tests wait for what they started: two more of them at a time than there are processors.
TESTERS ?= $(shell expr $(JOBS) + 2)
RESULTS := build/results
# Some images forbid it, and each Python that a test starts would compile the tests again.
export PYTHONDONTWRITEBYTECODE :=
PYTEST = mkdir -p $(RESULTS) && $(BIN)/python -m pytest --durations=30 --junit-xml
CXX_SOURCES := $(shell find core runtime benchmarks fuzz -name '*.[ch]pp' -o -name '*.[ch]' 2>/dev/null)
PACKAGE := $(CXX_SOURCES) $(shell find core runtime src examples -type f -not -name '*.pyc') \
	CMakeLists.txt pyproject.toml

.PHONY: env demo test test-all test-cpp test-python test-timing test-needs test-verbs mutants lint format bench sanitize-threads sanitize-addresses fuzz wheel docs charts clean

env: $(VENV)/.installed

$(VENV)/.made:
	tools/make-venv.sh $(PYTHON) $(VENV)
	touch $@

$(VENV)/.installed: $(VENV)/.made $(PACKAGE)
	$(BIN)/pip install --quiet --no-compile -C cmake.define.CMAKE_UNITY_BUILD=ON '.[full]'
	touch $@

# The module and the C++ tests are of one build, in which warnings are errors. What is tested is what
# others get: the wheel. build/wheels has it, and what it needs, for a test that has no network.
$(VENV)/.dev: $(VENV)/.made $(PACKAGE) tools/wheel.sh
	tools/needs.sh gtest otf2
	$(BIN)/python tools/extra.py full dev >$(VENV)/dev.txt
	$(BIN)/pip install --quiet --no-compile -r $(VENV)/dev.txt
	tools/wheel.sh $(BIN) $(WHEELS) -C build-dir=$(BUILD) \
		-C cmake.define.LATITUDE_TESTS=$$([ -e build/missing/gtest ] && echo OFF || echo ON) \
		-C cmake.define.LATITUDE_WERROR=ON
	$(BIN)/pip download --quiet --dest $(WHEELS) $(WHEELS)/latitude-*.whl
	$(BIN)/pip install --quiet --force-reinstall --no-deps $(WHEELS)/latitude-*.whl
	$(BIN)/pip install --quiet $(WHEELS)/latitude-*.whl
	touch $(VENV)/.installed $@

demo: env
	$(BIN)/latitude demo --force

# A file's tests share what they start; tests/support/longest.py says which files begin.
TESTED = tests/machine tests/commands tests/unit --numprocesses $(TESTERS) --dist loadfile \
	--no-loadscope-reorder

# Tests marked `thorough` are for test-all. Where nobody may install, the end says what was missing.
test: test-cpp
	tools/needs.sh mpi ucx ofi epoch-traces browser groff
	LATITUDE_MISSING="$$(ls build/missing)" $(PYTEST) $(RESULTS)/python.xml $(TESTED) \
		-m 'not thorough'

test-all: export LATITUDE_AT_LENGTH = 1
test-all: test-cpp test-python

test-python: test-needs
	$(PYTEST) $(RESULTS)/python.xml $(TESTED)

test-cpp: $(VENV)/.dev
	mkdir -p $(RESULTS)
	[ -e build/missing/gtest ] || ctest --test-dir $(BUILD) --output-on-failure \
		--parallel $(JOBS) --output-junit $(CURDIR)/$(RESULTS)/cpp.xml

test-timing: $(VENV)/.dev test-needs
	$(PYTEST) $(RESULTS)/timing.xml tests/timing

test-needs: $(VENV)/.dev
	CI=true tools/needs.sh slurm mpi simgrid ucx valgrind mpi4py-tests epoch-traces ofi mpi-wheels \
		hosts qemu browser groff torch

test-verbs: $(VENV)/.dev
	tools/need-mpi.sh
	tools/need-ucx.sh
	tools/need-qemu.sh
	$(BIN)/python -m pytest tests/machine/test_verbs_guest.py

# Not a part of CI. ONLY is a pattern of rooms and names.
mutants: $(VENV)/.dev
	tools/need-gtest.sh
	tools/need-mpi.sh
	tools/need-ucx.sh
	tools/need-ofi.sh
	tools/need-mpi-wheels.sh
	tools/need-browser.sh
	PYTHONPATH=tests $(BIN)/python -m mutants --only '$(ONLY)' --table build/mutants/mutants.md

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/check-includes.py
	$(BIN)/python tools/check-names.py
	$(BIN)/python tools/check-prose.py
	$(BIN)/clang-format --dry-run -Werror $(CXX_SOURCES)

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CXX_SOURCES)

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/run.py

# TRACES: folders of traces (*.tar.xz) to read in parallel; those of examples/ if none are named.
sanitize-threads:
	tools/need-gtest.sh
	tools/sanitize.sh thread

sanitize-addresses:
	tools/need-gtest.sh
	tools/sanitize.sh address,undefined

fuzz:
	tools/fuzz.sh

clean:
	rm -rf build $(VENV) dist

wheel: $(VENV)/.dev
	tools/wheel.sh $(BIN) dist
	$(BIN)/python -c 'from scikit_build_core.build import build_sdist; build_sdist("dist")'

docs: $(VENV)/.dev
	$(BIN)/python tools/documentation.py build/documentation

charts:
	tools/charts.sh

schemas: $(VENV)/.installed
	cd tests && ../$(BIN)/python -m support.schema_files ../src/latitude/results/schemas
