FROM python:3.11-slim-bookworm@sha256:a36c24f9cbdf4fd0f52d67f0823eeac19c2028c637cecc392d97f980d4fec56b AS packages
# true for computing on a Dask cluster, of which this image can be scheduler and worker too.
ARG CLUSTER=false
WORKDIR /build
COPY requirements.txt ./
COPY requirements/cluster.txt ./requirements/
RUN python -m venv /packages \
    && /packages/bin/pip install --no-cache-dir -r requirements.txt \
    && if [ "$CLUSTER" = true ]; then /packages/bin/pip install --no-cache-dir -r requirements/cluster.txt; fi

FROM python:3.11-slim-bookworm@sha256:a36c24f9cbdf4fd0f52d67f0823eeac19c2028c637cecc392d97f980d4fec56b
# PYTHONPATH: `dask scheduler` and `dask worker` import the program too, and do not look in their folder.
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 DEBUG=false DATA_DIR=/data PATH=/packages/bin:$PATH PYTHONPATH=/site
WORKDIR /site
COPY --from=packages /packages /packages
RUN useradd --uid 10001 --create-home rankings \
    && install --directory --owner=rankings --mode=700 /data

COPY manage.py ./
COPY text_rankings text_rankings
COPY protocols protocols
COPY rankings rankings
COPY annotate annotate
COPY templates templates
COPY static static
COPY docs/protocols docs/protocols
# The key signs nothing here: collectstatic only needs settings that load.
RUN SECRET_KEY=unused-while-building python manage.py collectstatic --noinput --verbosity 0

# The commit, for logs, backups and bundles: docker compose build --build-arg BUILD=$(git rev-parse --short=10 HEAD).
ARG BUILD=
ENV BUILD=$BUILD
USER 10001
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s \
    CMD ["python", "-c", "import os, urllib.request; urllib.request.urlopen('http://127.0.0.1:8000' + os.environ.get('SCRIPT_NAME', '') + '/readyz', timeout=8)"]
CMD ["sh", "-c", "python manage.py migrate --verbosity 0 && python manage.py createcachetable && exec gunicorn --config text_rankings/site/gunicorn.py --bind 0.0.0.0:8000 text_rankings.site.wsgi"]
