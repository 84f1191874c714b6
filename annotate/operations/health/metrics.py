"""Metrics for monitoring, in the format of Prometheus, at /metrics.

Each web process counts its requests in files that all of them share (PROMETHEUS_MULTIPROC_DIR,
which text_rankings/site/gunicorn.py sets); the database is queried at each scrape.
"""

import ipaddress
import os
import time
from collections.abc import Callable, Iterator
from secrets import compare_digest
from typing import Final

from django.conf import settings
from django.db import DatabaseError
from django.db.models import Count, Min
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import REGISTRY, Collector

from annotate.jobs import workers
from annotate.jobs.models import Job
from annotate.judging.models import Judgement, Skip

Answer = Callable[[HttpRequest], HttpResponseBase]
_BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
# By the name of the page, never by its address, which may contain a person's name or a secret.
_REQUESTS = Counter(
    "rankings_requests", "Requests by page, method and status.", ["page", "method", "status"]
)
_SECONDS = Histogram(
    "rankings_request_seconds", "Time until the answer.", ["page"], buckets=_BUCKETS
)
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

_BY_PROXIES: Final = frozenset(
    {"HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED", "HTTP_X_REAL_IP", "HTTP_VIA"}
)


def measured(get_response: Answer) -> Answer:
    """Count and time every request, and serve /metrics to allowed clients."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        if request.path_info == "/metrics":
            return _metrics(request)
        began = time.monotonic()
        response = get_response(request)
        page = page_of(request)
        method = request.method if request.method in _METHODS else "other"
        _REQUESTS.labels(page, method, response.status_code).inc()
        _SECONDS.labels(page).observe(time.monotonic() - began)
        return response

    return answer


def page_of(request: HttpRequest) -> str:
    match = request.resolver_match
    return (match and match.view_name) or "none"


def _metrics(request: HttpRequest) -> HttpResponse:
    if not _may_ask(request):
        return HttpResponse(status=404)
    registry = CollectorRegistry()
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # the library has no type for it
    else:
        registry.register(REGISTRY)
    registry.register(_OfTheDatabase())
    headers = {"Cache-Control": "no-store"}
    return HttpResponse(
        generate_latest(registry), content_type=CONTENT_TYPE_LATEST, headers=headers
    )


def _may_ask(request: HttpRequest) -> bool:
    """Allow METRICS_TOKEN; if it is unset, this machine, unless a proxy may be in between."""
    token = settings.METRICS_TOKEN
    if token:
        given = request.headers.get("Authorization", "")
        return compare_digest(given.encode(), f"Bearer {token}".encode())
    address = request.META.get("REMOTE_ADDR", "")
    # A proxy on this machine may send none of these headers.
    if settings.TRUSTED_PROXIES.trust(address) or not _BY_PROXIES.isdisjoint(request.META):
        return False
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


class _OfTheDatabase(Collector):
    def collect(self) -> Iterator[Metric]:
        try:
            yield from list(_counted())
            reached = 1
        except DatabaseError:
            reached = 0
        yield GaugeMetricFamily("rankings_database_up", "1: the database answers.", reached)


def _counted() -> Iterator[Metric]:
    answers = CounterMetricFamily(
        "rankings_answers", "Answers and skips in the log.", labels=["kind"]
    )
    answers.add_metric(["judgement"], Judgement.objects.count())
    answers.add_metric(["skip"], Skip.objects.count())
    yield answers
    jobs = GaugeMetricFamily("rankings_jobs", "Jobs by kind and state.", labels=["kind", "state"])
    for kind, state, n in (
        Job.objects.order_by().values_list("kind", "state").annotate(n=Count("pk"))
    ):
        jobs.add_metric([kind, state], n)
    yield jobs
    waits = Job.objects.filter(state=Job.State.WAITING).aggregate(since=Min("created"))["since"]
    seconds = (timezone.now() - waits).total_seconds() if waits else 0
    yield GaugeMetricFamily("rankings_queue_seconds", "How long the oldest job waits.", seconds)
    heard = len(workers.alive())
    yield GaugeMetricFamily("rankings_workers", "Workers that were heard of just now.", heard)
    program = GaugeMetricFamily("rankings_program", "1, with its version.", labels=["version"])
    program.add_metric([settings.PROGRAM], 1)
    yield program
