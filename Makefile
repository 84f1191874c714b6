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
LANE = $(PYTEST) --hypothesis-profile=quick -m "not release and not writers"
# uv where it is there: a third of the time. Where it finds no packages, pip may, which has settings of its own.
install = { command -v uv >/dev/null && VIRTUAL_ENV=.venv uv pip install --quiet $(1); } || \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(1)
LOWEST ?= tests/protocols tests/rankings tests/text_rankings/api tests/annotate/dashboard
POSTGRES_URL ?= postgres://root@127.0.0.1:5432/test
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo "sudo -n")

.DEFAULT_GOAL := help
.PHONY: help demo run test test-all test-release test-changed test-thorough writers test-postgres test-lowest benchmarks-check load crash sbom lint messages docs docs-site demo-archive screenshots findings browser tex lock clean

help: ## List these targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20

demo: .venv/runtime ## Set up everything, load the demo, and start the site
	@$(BIN)/python manage.py set_up --migrate
	@$(BIN)/python manage.py load_demo
	@echo
	@echo "Open http://127.0.0.1:$(PORT)/ (Ctrl+C stops site and worker; the data stays in var/)"
	@$(BIN)/python manage.py run_site 127.0.0.1:$(PORT)

run: .venv/runtime ## Start the site and its worker with the data there is
	@$(BIN)/python manage.py set_up --migrate
	@$(BIN)/python manage.py run_site 127.0.0.1:$(PORT)

test: .venv/dev browser ## Run a test of every rule, and every page in a browser
	@$(LANE) $(TESTS)
	@if command -v node >/dev/null && ls tests/js/*.test.mjs >/dev/null 2>&1; then node --test tests/js/; fi

test-all: test test-release ## Run every test

test-release: .venv/dev browser ## Run the tests of what is shipped, of whole data sets and of killed processes
	@$(PYTEST) -m release $(TESTS)

test-changed: .venv/dev ## Run the tests of the first lane that the changes since the last commit can reach, without a browser
	@tests=$$($(BIN)/python -m tools.changed_tests) && if [ -z "$$tests" ]; then echo "No change reaches a test."; \
		else $(LANE:writers"=writers and not browser") -p no:playwright -p no:base_url $$tests; fi

test-thorough: .venv/dev ## Try many more examples of every property, and others each time; takes long
	@$(PYTEST) --hypothesis-profile=thorough -m "not browser and not writers" $(TESTS)

writers: .venv/dev ## Install libraries of others, read what they write, and compare their statistics with ours
	@command -v tesseract >/dev/null || { $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq --no-install-recommends \
		tesseract-ocr >/dev/null; } || echo "Tesseract cannot be installed here; its files are left out."
	@$(BIN)/pytest -q -m writers tests/writers

test-postgres: .venv/dev ## Run the tests that another database could fail against PostgreSQL (POSTGRES_URL)
	@DATABASE_URL=$(POSTGRES_URL) $(PYTEST) --hypothesis-profile=quick -m database $(TESTS)

test-lowest: var/lowest/made ## Start the site and run the libraries' tests on the lowest versions that pyproject.toml allows
	@rm -rf var/lowest/data && export DATA_DIR=var/lowest/data DATABASE_URL= && mkdir var/lowest/data && \
		var/lowest/bin/python manage.py set_up --migrate && var/lowest/bin/python manage.py check --fail-level WARNING
	@var/lowest/bin/python -m pytest --quiet -n auto --hypothesis-profile=quick -m "not browser and not release" $(LOWEST)

benchmarks-check: .venv/dev ## See that the benchmarks still run, on little data; no time is judged
	$(BIN)/python -m benchmarks.protocols --quick --data /nowhere
	$(BIN)/python -m benchmarks.conformance --originals /nowhere --only iou
	$(BIN)/python -m benchmarks.load --seconds 2 --annotators 3 --think 0.1 --sqlite
	$(BIN)/python -m benchmarks.crowd --people 12 --places 8 --pairs 8 --within 1 --think 0 --sqlite --no-browser
	$(BIN)/python -m benchmarks.page --screens 3 --server-screens 10
	$(BIN)/python -m benchmarks.verdicts --studies 4 --only heavy
	$(BIN)/python -m benchmarks.judges --quick --only strong

load: .venv/dev ## Let 32 simulated annotators answer for a minute (POSTGRES_URL; else SQLite); OPTIONS="--seconds 20"
	@POSTGRES_URL=$(POSTGRES_URL) $(BIN)/python -m benchmarks.load $(OPTIONS)

crash: .venv/dev ## Break sites on purpose, 60 rounds, while people answer; OPTIONS="--rounds 20 --seed 2"
	@$(BIN)/python -m tests.crash $(OPTIONS)

sbom: .venv/dev ## List what a server is made of, with licences, and write it to var/sbom.json (CycloneDX)
	@$(BIN)/python .ci/supply.py

lint: .venv/dev ## Check style, types, security, templates, migrations, settings and containers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/bandit --quiet --recursive --configfile pyproject.toml text_rankings protocols rankings annotate
	$(BIN)/python .ci/audit.py
	$(BIN)/python .ci/supply.py >/dev/null
	$(BIN)/python manage.py check --fail-level WARNING
	$(BIN)/djlint --check --quiet templates
	$(BIN)/python manage.py makemigrations --check --dry-run
	SECRET_KEY=$$($(BIN)/python -c 'import secrets; print(secrets.token_urlsafe(50))') DEBUG=false \
		$(BIN)/python manage.py check --deploy --fail-level WARNING
	$(BIN)/hadolint Dockerfile
	$(BIN)/check-jsonschema --builtin-schema vendor.compose-spec docker-compose.yml
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml

messages: .venv/dev ## Bring the catalogues of annotate/locale up to date, and make what pages and scripts read of them
	@$(BIN)/python -m tools.catalogues

docs-site: .venv/dev ## Build the documentation as a site in var/docs
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --config-file tools/mkdocs.yml
	@echo "Open var/docs/index.html"

docs: .venv/dev ## Draw the worked examples, and compare every protocol with its tool, and all of IoU 0.5, where the values are
	$(BIN)/python docs/make_reference.py
	$(BIN)/python docs/make_conformance.py || [ $$? = 2 ]
	$(BIN)/python docs/make_atlas.py || [ $$? = 2 ]

demo-archive: .venv/dev ## Write the demo again in the present format of bundles (annotate/demo/demo.zip)
	@$(BIN)/python -m tools.demo_archive

tex: ## Install a TeX, with which tests set the tables for papers (65 MB)
	@command -v pdflatex >/dev/null || { $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq \
		--no-install-recommends texlive-latex-base texlive-latex-recommended >/dev/null; }

screenshots: .venv/dev browser ## Take the pictures of the landing page, with the demo in Chromium
	@$(BIN)/python -m tools.screenshots

findings: ## Run what we found in other people's libraries (findings/); each makes its environment, which takes a minute
	@status=0; for script in findings/*.sh; do if PYTHON=$(PYTHON) $$script >/dev/null 2>&1; then echo "ok       $$script"; \
		else echo "changed  $$script"; status=1; fi; done; exit $$status

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

lock: ## Write requirements.txt and requirements/*.txt from the .in files and pyproject.toml (needs uv)
	@mkdir -p var && uv pip compile --quiet --generate-hashes --python-version 3.11 --no-header --no-annotate --no-emit-index-url \
		--resolution lowest-direct --extra site --extra figures --extra server --extra cluster --extra coco --extra completion \
		pyproject.toml requirements/lowest.in -o var/lowest.txt && { echo "# Made by \`make lock\` from pyproject.toml and requirements/lowest.in."; cat var/lowest.txt; } > requirements/lowest.txt
	@for pair in site:requirements cluster:requirements/cluster dev:requirements/dev; do from=requirements/$${pair%%:*}.in; name=$${pair#*:}; \
		uv pip compile --quiet --generate-hashes --python-version 3.11 --no-header --no-annotate --no-emit-index-url --no-strip-markers \
			$$from -o $$name.txt && { echo "# Made by \`make lock\` from $$from."; cat $$name.txt; } > $$name.new \
			&& mv $$name.new $$name.txt || exit 1; done

clean: ## Remove the environment and caches; the data in var/ stays
	rm -rf .venv .mypy_cache .ruff_cache .hypothesis staticfiles

.venv/python:
	@$(if $(PYTHON),:,echo "Python 3.11 or newer is needed, and none was found." && exit 1)
	@command -v uv >/dev/null || $(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || $(SUDO) apt-get install -y -qq python3-venv || \
		{ echo "Python's venv is missing: run 'sudo apt-get install python3-venv'."; exit 1; }
	@echo "Making the environment in .venv ..."
	@if command -v uv >/dev/null; then uv venv --quiet --allow-existing --seed --python "$$(command -v $(PYTHON))" .venv; else $(PYTHON) -m venv .venv; fi
	@touch $@

.venv/runtime: requirements.txt | .venv/python
	@echo "Installing what the site needs ..."
	@$(call install,-r requirements.txt)
	@touch $@

.venv/dev: requirements/dev.txt .venv/runtime
	@echo "Installing what the tests need ..."
	@$(call install,-r requirements.txt -r requirements/dev.txt)
	@touch $@

var/lowest/made: requirements/lowest.txt | .venv/python
	@echo "Installing the lowest versions ..."
	@$(PYTHON) -m venv --clear var/lowest
	@{ command -v uv >/dev/null && VIRTUAL_ENV=var/lowest uv pip install --quiet -r requirements/lowest.txt; } || \
		var/lowest/bin/python -m pip install --quiet --disable-pip-version-check -r requirements/lowest.txt
	@touch $@
