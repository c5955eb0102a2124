# Everything from a fresh clone: build-essential and python3-venv are enough. `make` alone lists the targets.
# The stamps in .venv say that its packages are those of pyproject.toml: what the tool needs to run, and what developing it needs besides
# (an editable install among it, for which the first only links this checkout: that takes two seconds of CPU less).
# Nothing goes to the network while they are fresh.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUNTIME := $(VENV)/.runtime
STAMP := $(VENV)/.installed
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
DEMO := build/demo/bank
DEMO_SOURCE := native_tests/buggy/deadlock/bank.c
# Three at a time on two processors: every third test waits for something, a watchdog or a process, while the others compute.
PYTEST := $(BIN)/python -m pytest -n 3 --dist worksteal --durations=10
SECONDS ?= 60
# The tests start the tool some thousand times: without files of byte code, half of its start is the compiler of Python.
unexport PYTHONDONTWRITEBYTECODE
# One set of objects, whoever builds them: with warnings as errors.
export BPOR_WERROR := 1

.PHONY: help venv build demo test test-quick check soak bench paper free-threaded wheel deb site clean
help:
	@echo "make demo         build, then find a real deadlock in a small bank"
	@echo "make build        the whole tool, compiled for speed (make demo compiles quickly)"
	@echo "make test         every test (skips what the machine lacks, and says so)"
	@echo "make test-quick   the same without the slow ones, at most 90 seconds"
	@echo "make check        ruff, mypy --strict, clang-format, -Werror, generated files"
	@echo "make soak SECONDS=60   random programs against the oracle, as long as you like"
	@echo "make bench        executions per second against spawning; cost of the search and of a callback"
	@echo "make paper        the papers' experiments again: docs/reproduction.md"
	@echo "make free-threaded SOURCE=DIR   build CPython without a GIL from its source tree, and run tests and examples in it"
	@echo "make wheel        dist/*.whl for every Python 3 and glibc from 2.34 on (auditwheel), and the sdist"
	@echo "make deb          dist/*.deb from that wheel"
	@echo "make site         the documentation as a site in build/site; its links are checked"
	@echo "make clean        remove what was built"

venv: $(STAMP)
DEPENDENCIES := import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"], sep="\n")
$(RUNTIME): pyproject.toml scripts/bpor-native scripts/make_venv.py scripts/link_checkout.py
	@$(PYTHON) -c 'import sys; sys.path.insert(0, "."); from bpor.platform_support import unsupported; r = unsupported(); sys.exit("bpor-native: cannot run here: " + r if r else 0)'
	@test -x $(BIN)/python || $(PYTHON) scripts/make_venv.py $(VENV) || { echo "no venv: install python3-venv" >&2; exit 1; }
	@$(BIN)/python -c '$(DEPENDENCIES)' > $(VENV)/requirements.txt
	$(PIP) --no-compile --requirement $(VENV)/requirements.txt
	@$(BIN)/python scripts/link_checkout.py $(VENV)
	@touch $@

$(STAMP): $(RUNTIME)
	$(PIP) --no-compile 'setuptools>=77'
	$(PIP) --no-build-isolation --editable '.[dev]'
	@rm $(VENV)/lib/python3*/site-packages/bpor-native-checkout.pth
	@touch $@

# The recipe knows by itself what is stale.
build: $(STAMP)
	@$(BIN)/python scripts/native_build.py --werror

$(DEMO): $(DEMO_SOURCE)
	@mkdir -p $(@D)
	$(or $(CC),cc) -g -O1 -pthread -o $@ $<

demo: $(RUNTIME) $(DEMO)
	@$(BIN)/python scripts/native_build.py --werror --quick
	@echo '$$ bpor-native $(DEMO) --bound preemption:2'
	@$(BIN)/bpor-native $(DEMO) --bound preemption:2; status=$$?; \
	if [ $$status -eq 1 ]; then echo "demo: the tool exited 1, as it must: it found the deadlock (make build compiles the tool for speed)"; \
	else echo "demo: the tool exited $$status, not 1: the deadlock was not found" >&2; exit 1; fi

test: build
	$(PYTEST) tests

# Without the program collection (hundreds of processes) and the random programs: those are make test's.
test-quick: build
	$(PYTEST) -m 'not slow' tests/contract tests/golden tests/unit tests/native/test_programs.py

check: build
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m bpor.protocol.generate --check
	find csrc native_tests bpor/include -regex '.*\.\(c\|h\|cc\|cpp\)' -print0 | xargs -0 $(BIN)/clang-format --dry-run -Werror
	@echo "check: all good"

# Half of the time for the searches on simulated programs, the rest for real ones; then the repetitions at full number.
soak: build
	$(BIN)/python -m tests.property.soak $$(( $(SECONDS) / 4 ))
	$(BIN)/python -m tests.property.engine_mutants
	$(BIN)/python -m tests.property.known_mutants
	$(BIN)/python -m tests.property.optimal_mutants
	$(BIN)/python -m tests.property.open_mutants
	$(BIN)/python -m tests.property.graphs_mutants
	$(BIN)/python -m tests.property.cartesian_mutants
	$(BIN)/python -m tests.property.soak_known_steps $$(( $(SECONDS) / 8 ))
	$(BIN)/python -m tests.native.soak_known $$(( $(SECONDS) / 8 ))
	$(BIN)/python -m tests.native.soak_states $$(( $(SECONDS) / 8 ))
	$(BIN)/python -m tests.property.soak_searches $$(( $(SECONDS) / 8 ))
	$(BIN)/python -m tests.property.soak_weak $$(( $(SECONDS) / 8 ))
	$(BIN)/python -m tests.native.orders_table
	$(BIN)/python -m tests.property.symmetric_trial $$(( $(SECONDS) / 8 ))
	$(BIN)/python -m tests.native.test_symmetry $$(( $(SECONDS) / 8 ))
	$(BIN)/python -m tests.native.test_retries $$(( $(SECONDS) / 8 ))
	$(BIN)/python -m tests.property.soak_choices $$(( $(SECONDS) / 8 ))
	$(BIN)/python -m tests.property.choice_mutants
	$(BIN)/python -m tests.native.test_choices_against_model $$(( $(SECONDS) / 8 ))
	$(BIN)/python -m tests.property.soak_loops $$(( $(SECONDS) / 8 ))
	$(BIN)/python -m tests.native.test_programs_against_model $$(( $(SECONDS) / 8 ))
	$(BIN)/python -m tests.native.test_plain_against_model $$(( $(SECONDS) / 8 ))
	$(BIN)/python -m tests.native.state_graph $$(( $(SECONDS) / 8 ))
	$(BIN)/python -m tests.native.test_process_trees $$(( $(SECONDS) / 16 ))
	$(BIN)/python -m tests.native.soak_engines $$(( $(SECONDS) / 8 ))
	$(BIN)/python -m tests.native.soak_options $$(( $(SECONDS) / 8 ))
	$(BIN)/python -m tests.native.soak_checkpoints $$(( $(SECONDS) / 8 ))
	$(BIN)/python -m tests.native.soak_machine
	$(BIN)/python -m tests.native.soak_processor $$(( $(SECONDS) / 8 ))
	$(BIN)/python -m tests.native.test_machine_forms
	$(BIN)/python -m tests.native.test_openmp
	$(BIN)/python -m tests.native.test_atomics_against_model $$(( $(SECONDS) / 8 ))
	BPOR_TEST_RUNS=20 $(PYTEST) tests/native/test_references.py -k same_answer
	$(BIN)/python -m tests.native.soak_answers 20
	BPOR_TEST_REPLAYS=100 $(PYTEST) tests/native/test_pytest_plugin.py tests/native/test_extension_examples.py -k 'replay_line or seeded'
	BPOR_TEST_EXAMPLES=5 $(PYTEST) tests/property
	BPOR_TEST_KILLS=50 $(PYTEST) tests/native/test_resume.py -k kills
	$(BIN)/python -m tests.native.soak_cluster $$(( $(SECONDS) / 8 ))
	BPOR_TEST_KILLS=50 $(PYTEST) tests/native/test_cluster.py -k killed
	BPOR_TEST_KILLS=50 $(PYTEST) tests/native/test_cluster_lies.py
	$(BIN)/python -m tests.native.soak_cluster_kills 50
	BPOR_REFEREE_EXECUTIONS=200 BPOR_DAMAGED_PLACES=1 BPOR_TEST_EXECUTIONS=5000 BPOR_ENGINE_PROGRAMS=all $(PYTEST) \
	    tests/native/test_referee.py tests/native/test_leaks.py tests/native/test_engine.py tests/native/test_optimal.py tests/native/test_resume_damage.py
	$(BIN)/python -m tests.native.referee $$(( $(SECONDS) / 4 ))

# A minute or two: every search has 3 seconds.
paper: build
	$(BIN)/python -m benchmarks.paper.document

bench: build
	$(BIN)/python benchmarks/spawn.py
	$(BIN)/python benchmarks/search_cost.py
	$(BIN)/python benchmarks/fringe.py
	$(BIN)/python benchmarks/engines.py
	$(BIN)/python benchmarks/execution_cost.py
	$(BIN)/python benchmarks/checkpoints.py
	$(BIN)/python benchmarks/known_steps.py
	$(BIN)/python benchmarks/cycles.py
	$(BIN)/python benchmarks/extensions.py
	$(BIN)/python benchmarks/callback_cost.py
	$(BIN)/python benchmarks/compute.py
	$(BIN)/python benchmarks/machine_code.py
	$(BIN)/python benchmarks/length.py
	$(BIN)/python benchmarks/endurance.py
	$(BIN)/python -m benchmarks.peers.run
	$(BIN)/python benchmarks/growth.py

# A quarter of an hour on two processors. The limited API, which cffi would use, is not there without a GIL before 3.15.
FREE_THREADED = $(CURDIR)/build/free-threaded/$(notdir $(abspath $(SOURCE)))
free-threaded: build
	@test -x '$(SOURCE)/configure' || { echo "free-threaded: SOURCE=DIR has to name a source tree of CPython, 3.13 or later" >&2; exit 2; }
	mkdir -p $(FREE_THREADED)/objects
	cd $(FREE_THREADED)/objects && test -e Makefile || $(abspath $(SOURCE))/configure -q --disable-gil --disable-test-modules --prefix=$(FREE_THREADED)
	$(MAKE) -C $(FREE_THREADED)/objects -s -j2 altinstall
	python=$$(ls $(FREE_THREADED)/bin/python3.*t) && \
	$$python -m pip install -q pytest 'cffi$(if $(findstring 3.13,$(SOURCE)),<2,>=2)' pyelftools jinja2 psutil rich setuptools cython && \
	BPOR_FREE_THREADED_PYTHON=$$python $(BIN)/python -m pytest -q tests/native/test_free_threaded.py tests/native/test_free_threaded_pytest.py && \
	PYTHON_GIL=0 $(BIN)/python benchmarks/free_threaded.py $$python

# The oldest glibc whose symbols the native half needs is auditwheel's to say: a wheel that needs more than its tag says is refused.
MANYLINUX := manylinux_2_34_x86_64
wheel: $(STAMP)
	rm -rf dist build/wheel
	$(BIN)/python -m build --no-isolation --wheel --outdir build/wheel >/dev/null
	$(BIN)/python -m build --no-isolation --sdist --outdir dist >/dev/null
	PATH=$(CURDIR)/$(BIN):$$PATH $(BIN)/auditwheel repair --plat $(MANYLINUX) --only-plat --wheel-dir dist build/wheel/*.whl >/dev/null
	@ls dist/*

deb: wheel
	@$(BIN)/python scripts/make_deb.py dist/*.whl dist

site: $(STAMP)
	$(BIN)/python scripts/site_source.py build/site-source
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict --clean
	@echo "site: build/site/index.html"

clean:
	rm -rf build dist bpor/_native *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
