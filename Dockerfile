FROM python:3.11-slim-bookworm

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 DEBUG=false DATA_DIR=/data
WORKDIR /site

COPY requirements.txt .
RUN pip install --no-cache-dir -r requirements.txt \
    && useradd --uid 10001 --create-home rankings \
    && mkdir /data && chown rankings /data

COPY manage.py ./
COPY config config
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
