"""The job that keeps a report."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.contrib.auth.models import User
from django.urls import reverse

from annotate.jobs import services as jobs
from annotate.jobs.engine import computing
from annotate.jobs.models import Job
from annotate.jobs.registry import Running
from annotate.scoring.models import ProtocolRun
from annotate.studies.models import Study
from rankings.agreement.report import Settings

from . import services
from .arguments import arguments_of, asked_for

KIND: Final = "reports.keep"


def start(*, study: Study, settings: Settings, runs: Sequence[ProtocolRun], person: User) -> Job:
    """Start a job that keeps a report of the study as it is when the job runs."""
    return jobs.start(
        kind=KIND,
        person=person,
        title=f"Keep a report of {study}",
        **arguments_of(study, settings, runs),
    )


def keep(arguments: Mapping[str, Any], running: Running) -> None:
    """Do the work of the job; raises JobFailed if the study or a protocol's run is gone."""
    study, settings, runs = asked_for(arguments)
    running.tell(0, 0, "Computing the report")
    with computing() as executor:
        computed = services.compute_report(
            study=study,
            settings=settings,
            runs=runs,
            executor=executor,
        )
    with running.publishing() as outcome:
        kept = services.publish_report(computed, running.person)
        outcome.text = f"Report {kept.pk} is kept."
        outcome.made = {"report": kept.pk}
        outcome.address = reverse("reports:kept", args=[study.slug, kept.pk])
