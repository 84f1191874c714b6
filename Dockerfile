FROM python:3.11-slim-bookworm

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 DEBUG=false DATA_DIR=/data
WORKDIR /site

# true for computing on a Dask cluster, of which this image can be scheduler and worker too.
ARG CLUSTER=false
COPY requirements.txt requirements-cluster.txt ./
RUN pip install --no-cache-dir -r requirements.txt \
    && if [ "$CLUSTER" = true ]; then pip install --no-cache-dir -r requirements-cluster.txt; fi \
    && useradd --uid 10001 --create-home rankings \
    && mkdir /data && chown rankings /data

COPY manage.py ./
COPY config config
COPY engine engine
COPY protocols protocols
COPY rankings rankings
COPY annotate annotate
COPY templates templates
COPY static static
COPY docs/protocols docs/protocols
# The key signs nothing here: collectstatic only needs settings that load.
RUN SECRET_KEY=unused-while-building python manage.py collectstatic --noinput --verbosity 0

USER 10001
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
    CMD ["python", "-c", "import socket; socket.create_connection(('127.0.0.1', 8000), 3).close()"]
CMD ["sh", "-c", "python manage.py migrate --verbosity 0 && python manage.py createcachetable && exec gunicorn --config config/gunicorn.py config.wsgi"]
