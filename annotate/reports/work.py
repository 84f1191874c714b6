"""Keeping a report as a job."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from django.contrib.auth.models import User
from django.urls import reverse

from annotate.jobs import services as jobs
from annotate.jobs.engine import computing
from annotate.jobs.errors import JobFailed
from annotate.jobs.models import Job
from annotate.jobs.registry import Running
from annotate.scoring.models import ProtocolRun
from annotate.studies.models import Study
from rankings.report import Settings

from . import services

KIND: Final = "reports.keep"


def start(*, study: Study, settings: Settings, runs: Sequence[ProtocolRun], person: User) -> Job:
    """Have a report kept as the study is when the work begins."""
    return jobs.start(
        kind=KIND,
        person=person,
        title=f"Keep a report of {study}",
        study=study.pk,
        settings=asdict(settings),
        runs=sorted(run.pk for run in runs),
    )


def keep(arguments: Mapping[str, Any], running: Running) -> None:
    """Do the work of the job; raises JobFailed where the study or a protocol's run is gone."""
    study = Study.objects.filter(pk=arguments["study"]).first()
    if study is None:
        raise JobFailed("The study is no longer here.")
    by_key = ProtocolRun.objects.in_bulk(arguments["runs"])
    if len(by_key) < len(arguments["runs"]):
        raise JobFailed("A protocol of this report was removed meanwhile. Choose again.")
    runs = [run for run in services.available_runs(study) if run.pk in by_key]
    runs += [run for key, run in by_key.items() if run not in runs]
    running.tell(0, 0, "Computing the report")
    with computing() as executor:
        computed = services.compute_report(
            study=study,
            settings=Settings(**arguments["settings"]),
            runs=runs,
            executor=executor,
        )
    with running.publishing() as outcome:
        kept = services.publish_report(computed, running.person)
        outcome.text = f"Report {kept.pk} is kept."
        outcome.made = {"report": kept.pk}
        outcome.address = reverse("reports:kept", args=[study.slug, kept.pk])
