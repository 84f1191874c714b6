"""Measure keeping and showing the report of a study of the paper's size, on a site of its own.

    python -m benchmarks.study [--images 233] [--methods 10] [--protocols 13] [--annotators 3]
                               [--postgres URL] [--profile FOLDER] [--no-kemeny] [--json FILE]

The study is written as rows: complete rankings by simulated annotators and the scores of protocols
(:mod:`benchmarks.report`), without the screens behind them, which no report reads. For each step
seconds of the clock and of the processor, the number of queries and the size of the answer. A page
is asked for twice: cold, after the cache was emptied, and warm. Nothing here passes or fails.
"""

import argparse
import cProfile
import json
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .own_site import make_annotators, make_study, own_postgres, own_site
from .report import generated, process_mib

_AT_ONCE = 2000


@dataclass(frozen=True)
class Step:
    """The cost of one step."""

    name: str
    seconds: float
    cpu_seconds: float
    n_queries: int
    n_bytes: int
    process_mib: float


def make_ranked_study(
    n_images: int, n_methods: int, n_protocols: int, n_annotators: int
) -> tuple[Any, list[Any]]:
    """Return a study that its annotators have finished, and the runs of its protocols."""
    from django.utils import timezone

    from annotate.judging.models import Assignment
    from annotate.scoring.models import ProtocolRun, Score
    from annotate.studies.models import StudyImage

    study = make_study(n_methods, n_images, n_words=3)
    people = make_annotators(study, n_annotators)
    images = list(study.dataset.images.in_order())
    methods = list(study.dataset.methods.order_by("name"))
    # The people see each criterion apart, and so differently.
    by_criterion = {
        criterion: generated(n_images, n_methods, n_protocols, n_annotators, seed)
        for seed, criterion in enumerate(("recall", "precision", "preference"), 1)
    }
    names = list(next(iter(by_criterion["recall"].rankings.values())))
    number = {f"method-{at:02}": method.pk for at, method in enumerate(methods)}
    results = {
        (image, method): pk
        for pk, image, method in study.dataset.images.values_list(
            "results", "pk", "results__method"
        )
    }
    now = timezone.now()
    rows = (
        Assignment(
            study=study,
            image=image,
            annotator=person,
            position=at + 1,
            state=Assignment.State.COMPLETE,
            items=[[results[image.pk, method.pk]] for method in methods],
            rankings={
                criterion: [
                    [number[method] for method in bucket]
                    for bucket in data.rankings[f"img_{at + 1:06}"][name]
                ]
                for criterion, data in by_criterion.items()
            },
            finished=now,
        )
        for name, person in zip(names, people, strict=True)
        for at, image in enumerate(images)
    )
    Assignment.objects.bulk_create(rows, batch_size=_AT_ONCE)
    StudyImage.objects.filter(study=study).update(n_complete=n_annotators)
    scores = by_criterion["recall"].scores
    runs = []
    for protocol in next(iter(scores.values())):
        run = ProtocolRun.objects.create(
            dataset=study.dataset,
            name=protocol,
            version="1",
            origin=ProtocolRun.Origin.IMPORTED,
            n_scores=n_images * n_methods,
        )
        runs.append(run)
        Score.objects.bulk_create(
            (
                Score(
                    run=run,
                    result_id=results[image.pk, number[method]],
                    recall=recall,
                    precision=precision,
                )
                for at, image in enumerate(images)
                for method, (recall, precision) in scores[f"img_{at + 1:06}"][protocol].items()
            ),
            batch_size=_AT_ONCE,
        )
    return study, runs


class Stopwatch:
    """Steps measured one after the other."""

    def __init__(self, profiles: Path | None) -> None:
        self.steps: list[Step] = []
        self._profiles = profiles

    def measure(self, name: str, work: Callable[[], Any]) -> Any:
        from django.db import connection

        queries: list[str] = []

        def count(execute: Any, sql: str, *rest: Any) -> Any:
            queries.append(sql)
            return execute(sql, *rest)

        profile = cProfile.Profile() if self._profiles else None
        with connection.execute_wrapper(count):
            started, worked = time.perf_counter(), time.process_time()
            answer = profile.runcall(work) if profile else work()
            seconds, cpu = time.perf_counter() - started, time.process_time() - worked
        content = getattr(answer, "content", b"")
        n_bytes = len(content.encode() if isinstance(content, str) else content)
        step = Step(name, seconds, cpu, len(queries), n_bytes, process_mib())
        self.steps.append(step)
        if profile and self._profiles:
            profile.dump_stats(self._profiles / f"{len(self.steps):02}.prof")
        print(
            f"  {name:<44} {seconds:8.3f} s {cpu:8.3f} s {len(queries):4} queries"
            f" {n_bytes / 1000:8.0f} kB {step.process_mib:6.0f} MiB",
            flush=True,
        )
        return answer


def measure(study: Any, runs: Sequence[Any], stopwatch: Stopwatch, kemeny: bool) -> None:
    from django.contrib.auth.models import User
    from django.core.cache import caches
    from django.test import Client
    from django.urls import reverse

    from annotate.reports.services import keep_report
    from rankings.agreement.report import Settings

    admin = User.objects.create_user("admin", is_staff=True)
    client = Client(headers={"host": "127.0.0.1"})
    client.force_login(admin)

    def page(url: str) -> Any:
        response = client.get(url)
        if response.status_code != 200:
            raise RuntimeError(f"{url}: {response.status_code}")
        return response

    kept = stopwatch.measure(
        "keep_report",
        lambda: keep_report(study=study, settings=Settings(), runs=runs, person=admin),
    )
    report = reverse("reports:report", args=[study.slug])
    page("/")  # loaded by the first request of a process
    pages = {
        "report page": report,
        "report page, kemeny": f"{report}?consensus=kemeny",
        "figures page": reverse("figures:figures", args=[study.slug]),
        "disagreement page": reverse("evidence:disagreement", args=[study.slug]),
        "report as CSV": reverse("reports:export", args=[study.slug, "csv"]),
        "table as CSV": reverse("reports:export_table", args=[study.slug, "measures", "csv"]),
        "kept report's page": reverse("reports:kept", args=[study.slug, kept.pk]),
    }
    for name, url in pages.items():
        if "kemeny" in name and not kemeny:
            continue
        for cache in caches.all(initialized_only=False):
            cache.clear()
        stopwatch.measure(f"{name}, cold", lambda url=url: page(url))
        stopwatch.measure(f"{name}, warm", lambda url=url: page(url))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--images", type=int, default=233)
    parser.add_argument("--methods", type=int, default=10)
    parser.add_argument("--protocols", type=int, default=13)
    parser.add_argument("--annotators", type=int, default=3)
    parser.add_argument("--postgres", default="", metavar="URL", help="SQLite without it")
    parser.add_argument("--profile", type=Path, metavar="FOLDER")
    parser.add_argument("--no-kemeny", action="store_true", help="leave out the page with it")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    if options.profile:
        options.profile.mkdir(parents=True, exist_ok=True)
    database = own_postgres(options.postgres) if options.postgres else nullcontext("")
    with database as url, own_site(url, DEBUG="true"):
        from django.conf import settings
        from django.db import connection

        # Static files without their manifest, but no list of all queries.
        settings.DEBUG = False
        sizes = (options.images, options.methods, options.protocols, options.annotators)
        print(
            "{} images x {} methods x {} protocols x {} annotators on {}".format(
                *sizes, connection.vendor
            ),
            flush=True,
        )
        study, runs = make_ranked_study(*sizes)
        stopwatch = Stopwatch(options.profile)
        measure(study, runs, stopwatch, not options.no_kemeny)
    if options.json:
        steps = [asdict(step) for step in stopwatch.steps]
        options.json.write_text(json.dumps(steps, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
