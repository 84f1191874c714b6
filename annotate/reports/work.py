"""The job that keeps a report."""

from collections.abc import Mapping
from typing import Any, Final

from django.contrib.auth.models import User
from django.urls import reverse

from annotate.jobs import services as jobs
from annotate.jobs.engine import computing
from annotate.jobs.models import Job
from annotate.jobs.registry import Running

from . import services
from .arguments import arguments_of, asked_for
from .cache import Asked

KIND: Final = "reports.keep"


def start(asked: Asked, *, person: User) -> Job:
    """Start a job that keeps a report of the study as it is when the job runs."""
    return jobs.start(
        kind=KIND,
        person=person,
        title=f"Keep a report of {asked.study}",
        **arguments_of(asked),
    )


def keep(arguments: Mapping[str, Any], running: Running) -> None:
    """Do the work of the job; raises JobFailed if the study or a protocol's run is gone."""
    asked = asked_for(arguments)
    running.tell(0, 0, "Computing the report")
    with computing() as executor:
        computed = services.compute_report(asked, executor)
    with running.publishing() as outcome:
        kept = services.publish_report(computed, running.person)
        outcome.text = f"Report {kept.pk} is kept."
        outcome.made = {"report": kept.pk}
        outcome.address = reverse("reports:kept", args=[asked.study.slug, kept.pk])
