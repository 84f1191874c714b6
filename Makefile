# What people type. Everything lands in .venv/ and var/; `make help` lists the targets.

# The first Python that really starts and is new enough; a name alone may be an empty shim.
PYTHON ?= $(shell for name in python3 python3.13 python3.12 python3.11; do \
	$$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && echo $$name && break; done)
PORT ?= 8000
TESTS ?= tests
# The tests of a module stay in one process, and the longest modules begin first (tests/conftest.py).
# Compiled modules are kept: every worker and every server that a test starts reads them.
PYTEST = env -u PYTHONDONTWRITEBYTECODE $(BIN)/pytest -n auto --dist loadgroup --no-loadscope-reorder
BIN := .venv/bin
POSTGRES_URL ?= postgres://root@127.0.0.1:5432/test
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo "sudo -n")

.DEFAULT_GOAL := help
.PHONY: help demo run test test-fast test-thorough test-postgres benchmarks-check load lint docs artwork browser lock clean

help: ## List these targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20

demo: .venv/runtime ## Set up everything, load the demo, and start the site
	@$(BIN)/python manage.py migrate --verbosity 0
	@$(BIN)/python manage.py createcachetable --verbosity 0
	@$(BIN)/python manage.py load_demo
	@echo
	@echo "Open http://127.0.0.1:$(PORT)/ (Ctrl+C stops site and worker; the data stays in var/)"
	@$(BIN)/python manage.py run_site 127.0.0.1:$(PORT)

run: .venv/runtime ## Start the site and its worker with the data there is
	@$(BIN)/python manage.py migrate --verbosity 0
	@$(BIN)/python manage.py createcachetable --verbosity 0
	@$(BIN)/python manage.py run_site 127.0.0.1:$(PORT)

test: .venv/dev browser ## Run every test, those in a browser included
	@$(PYTEST) $(TESTS)
	@if command -v node >/dev/null && ls tests/js/*.test.mjs >/dev/null 2>&1; then node --test tests/js/; fi

test-fast: .venv/dev ## Run every test that needs neither a browser nor benchmark data
	@WITHOUT_BENCHMARK_DATA=1 $(PYTEST) --ignore tests/browser -p no:playwright -p no:base_url $(TESTS)

test-thorough: .venv/dev ## Try many more examples of every property, and others each time; takes long
	@$(PYTEST) --hypothesis-profile=thorough -m "not browser" $(TESTS)

test-postgres: .venv/dev ## Run the tests that another database could fail against PostgreSQL (POSTGRES_URL)
	@DATABASE_URL=$(POSTGRES_URL) $(PYTEST) -m database $(TESTS)

benchmarks-check: .venv/dev ## See that the benchmarks still run, on little data; no time is judged
	$(BIN)/python -m benchmarks.protocols --quick --data /nowhere
	$(BIN)/python -m benchmarks.engine --quick
	$(BIN)/python -m benchmarks.load --seconds 2 --annotators 3 --think 0.1 --sqlite
	$(BIN)/python -m benchmarks.page --screens 3 --server-screens 10
	$(BIN)/python -m benchmarks.study --images 6 --methods 4 --protocols 3
	$(BIN)/python -m benchmarks.verdicts --studies 5 --family 2

load: .venv/dev ## Let 32 simulated annotators answer for a minute (POSTGRES_URL; else SQLite); OPTIONS="--seconds 20"
	@POSTGRES_URL=$(POSTGRES_URL) $(BIN)/python -m benchmarks.load $(OPTIONS)

lint: .venv/dev ## Check style, types, security, templates, migrations, settings and containers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy engine protocols rankings annotate config tools
	$(BIN)/bandit --quiet --recursive --configfile pyproject.toml engine protocols rankings annotate config
	$(BIN)/python .ci/audit.py
	$(BIN)/python manage.py check --fail-level WARNING
	$(BIN)/pytest --quiet tests/test_templates.py
	$(BIN)/python manage.py makemigrations --check --dry-run
	SECRET_KEY=$$($(BIN)/python -c 'import secrets; print(secrets.token_urlsafe(50))') DEBUG=false \
		$(BIN)/python manage.py check --deploy --fail-level WARNING
	$(BIN)/hadolint Dockerfile
	$(BIN)/check-jsonschema --builtin-schema vendor.compose-spec docker-compose.yml

docs: .venv/dev ## Draw the worked examples, and compare every protocol with its tool where the values are
	$(BIN)/python docs/make_drawings.py
	$(BIN)/python docs/make_conformance.py || [ $$? = 2 ]

artwork: .venv/dev ## Draw the pictures of the examples anew, and make the demo's archive (annotate/demo/demo.zip)
	@$(BIN)/python -m tools.artwork

browser: ## Install Chromium for the browser tests where it is missing and can be had
	@if command -v chromium-headless-shell >/dev/null; then :; \
	elif { command -v chromium || command -v chromium-browser; } >/dev/null && \
		! apt-cache show chromium-headless-shell >/dev/null 2>&1; then :; \
	elif command -v apt-get >/dev/null && $(SUDO) true 2>/dev/null && $(SUDO) apt-get update -qq && \
		{ $(SUDO) apt-get install -y -qq chromium-headless-shell || \
		$(SUDO) apt-get install -y -qq chromium; } >/dev/null 2>&1; then :; \
	elif command -v chromium >/dev/null || command -v chromium-browser >/dev/null; then :; \
	elif $(BIN)/python -m playwright install --only-shell chromium; then :; \
	else echo "Chromium cannot be installed here; the browser tests will say that they were skipped."; fi

lock: ## Write requirements*.txt from the .in files (needs uv)
	uv pip compile --quiet --python-version 3.11 --no-header --no-annotate --no-emit-index-url requirements.in -o requirements.txt
	sed -i '1i # Made by `make lock` from requirements.in.' requirements.txt
	uv pip compile --quiet --python-version 3.11 --no-header --no-annotate --no-emit-index-url requirements-cluster.in -o requirements-cluster.txt
	sed -i '1i # Made by `make lock` from requirements-cluster.in.' requirements-cluster.txt
	uv pip compile --quiet --python-version 3.11 --no-header --no-annotate --no-emit-index-url requirements-dev.in -o requirements-dev.txt
	sed -i '1i # Made by `make lock` from requirements-dev.in.' requirements-dev.txt

clean: ## Remove the environment and caches; the data in var/ stays
	rm -rf .venv .mypy_cache .ruff_cache .hypothesis staticfiles

.venv/python:
	@$(if $(PYTHON),:,echo "Python 3.11 or newer is needed, and none was found." && exit 1)
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || $(SUDO) apt-get install -y -qq python3-venv || \
		{ echo "Python's venv is missing: run 'sudo apt-get install python3-venv'."; exit 1; }
	@echo "Making the environment in .venv ..."
	@$(PYTHON) -m venv .venv
	@touch $@

.venv/runtime: requirements.txt | .venv/python
	@echo "Installing what the site needs ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

.venv/dev: requirements-dev.txt .venv/runtime
	@echo "Installing what the tests need ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt -r requirements-dev.txt
	@touch $@
