"""The job that tries other parameters."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.contrib.auth.models import User
from django.urls import reverse

from annotate.jobs import services as jobs
from annotate.jobs.engine import computing
from annotate.jobs.models import Job
from annotate.jobs.registry import Running
from annotate.reports.arguments import arguments_of, asked_for
from annotate.scoring.models import ProtocolRun
from annotate.studies.models import Study
from rankings.agreement.report import Settings

from . import services

KIND: Final = "questions.changes"


def start(
    *,
    study: Study,
    settings: Settings,
    runs: Sequence[ProtocolRun],
    person: User,
    query: str = "",
) -> Job:
    """Start scoring every protocol with other parameters; `query` is the page's query string."""
    return jobs.start(
        kind=KIND,
        person=person,
        title=f"Try other parameters of the protocols of {study}",
        query=query,
        **arguments_of(study, settings, runs),
    )


def compute(arguments: Mapping[str, Any], running: Running) -> None:
    """Do the work of the job; raises JobFailed if the study or a run is gone, or NotCompared."""
    study, settings, runs = asked_for(arguments)
    with computing() as executor:
        data = services.compute(study, settings, runs, running.tell, executor)
    with running.publishing() as outcome:
        services.keep(study, settings, runs, data)
        outcome.text = "Other parameters were tried."
        query = f"?{arguments['query']}" if arguments["query"] else ""
        outcome.address = f"{reverse('questions:questions', args=[study.slug])}{query}#weights"
