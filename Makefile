# make report   the examples in every format, in build/report
# make test     the tests; make test-all adds those that need LibreOffice, Java, Chromium, poppler
# Both set up all they need in .venv, from pinned versions, with Python 3.11 or later.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
FORMATS := html docx pdf epub md txt
WORKERS ?= auto

.DELETE_ON_ERROR:
.PHONY: help report test test-all test-programs test-pandocs fuzz bench lint types format wheel upgrade clean

help:
	@sed -n 's/^# //p' Makefile

# --- Environments -------------------------------------------------------------------------------

$(VENV)/base.stamp: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "cite-filter needs Python 3.11 or later: make PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@touch $@

$(VENV)/dev.stamp: $(VENV)/base.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

# --- Documents ----------------------------------------------------------------------------------

report: $(VENV)/base.stamp
	$(BIN)/cite build examples/answer.md examples/chat.md examples/tides.json --out-dir build/report \
	  $(foreach format,$(FORMATS),--to $(format)) --report build/report/report.json
	@echo "Built: $$(ls build/report | tr '\n' ' ')"

# --- Tests --------------------------------------------------------------------------------------

test: $(VENV)/dev.stamp
	$(BIN)/pytest -n $(WORKERS) -m 'not programs'

test-all: test test-programs

test-programs: $(VENV)/dev.stamp
	sh tests/programs.sh
	$(BIN)/pytest -n $(WORKERS) -m programs

# Every Pandoc that pypandoc_binary carries, from 2.19 on.
PANDOCS := 1.13 1.14 1.15 1.16.2 1.17
test-pandocs: $(PANDOCS:%=build/pandocs/%.passed)

build/pandocs/%.passed: $(VENV)/dev.stamp FORCE
	@test -d build/pandocs/$* || $(BIN)/python -m pip install --quiet --disable-pip-version-check \
	  --no-deps --target build/pandocs/$* pypandoc_binary==$*
	PYPANDOC_PANDOC=$(CURDIR)/build/pandocs/$*/pypandoc/files/pandoc \
	  $(BIN)/pytest -n $(WORKERS) -m 'not programs' tests/test_cases.py tests/test_filter.py
	@touch $@

FORCE:

# The properties on ever new documents, until one fails or so many seconds are over.
SECONDS_OF_FUZZ ?= 600
fuzz: $(VENV)/dev.stamp
	end=$$(( $$(date +%s) + $(SECONDS_OF_FUZZ) )); \
	while [ $$(date +%s) -lt $$end ]; do \
	  FUZZ_EXAMPLES=2000 $(BIN)/pytest -q -n $(WORKERS) -x \
	    tests/test_properties.py tests/test_stream.py tests/test_source_text.py \
	    tests/test_plain_yaml.py tests/test_transcripts.py tests/test_visible.py \
	    tests/test_quotations.py || exit 1; \
	done

bench: $(VENV)/dev.stamp
	@mkdir -p build
	$(BIN)/python benchmarks/bench.py | tee build/RESULTS.md
	$(BIN)/python benchmarks/quotations.py | tee -a build/RESULTS.md

lint: $(VENV)/dev.stamp
	$(BIN)/ruff check filter tests templates benchmarks
	$(BIN)/ruff format --check filter tests templates benchmarks

types: $(VENV)/dev.stamp
	$(BIN)/mypy

format: $(VENV)/dev.stamp
	$(BIN)/ruff check --fix filter tests templates benchmarks
	$(BIN)/ruff format filter tests templates benchmarks

wheel: $(VENV)/dev.stamp
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir build/dist .

# --- Upkeep -------------------------------------------------------------------------------------

upgrade:
	rm -rf build/upgrade
	$(PYTHON) -m venv build/upgrade
	build/upgrade/bin/python -m pip install --quiet -e '.[dev]'
	sed -n '/^#/p' constraints.txt > build/constraints.txt
	build/upgrade/bin/python -m pip freeze --exclude-editable >> build/constraints.txt
	mv build/constraints.txt constraints.txt

clean:
	rm -rf build $(VENV)
