"""The job that tries other parameters."""

from collections.abc import Mapping
from typing import Any, Final

from django.contrib.auth.models import User
from django.urls import reverse

from annotate.jobs import services as jobs
from annotate.jobs.engine import computing
from annotate.jobs.models import Job
from annotate.jobs.registry import Running
from annotate.reports.arguments import arguments_of, asked_for
from annotate.reports.cache import Asked

from . import services

KIND: Final = "questions.changes"


def start(
    asked: Asked,
    *,
    person: User,
    query: str = "",
) -> Job:
    """Start scoring every protocol with other parameters; `query` is the page's query string."""
    return jobs.start(
        kind=KIND,
        person=person,
        title=f"Try other parameters of the protocols of {asked.study}",
        query=query,
        **arguments_of(asked),
    )


def compute(arguments: Mapping[str, Any], running: Running) -> None:
    """Do the work of the job; raises JobFailed if the study or a run is gone, or NotCompared."""
    asked = asked_for(arguments)
    with computing() as executor:
        data = services.compute(asked, running.tell, executor)
    with running.publishing() as outcome:
        services.keep(asked, data)
        outcome.text = "Other parameters were tried."
        query = f"?{arguments['query']}" if arguments["query"] else ""
        outcome.address = (
            f"{reverse('questions:questions', args=[asked.study.slug])}{query}#weights"
        )
