"""Scoring again, after a change of what was scored."""

from django.contrib.auth.models import User

from annotate.datasets.mending import mended
from annotate.datasets.models import Dataset
from annotate.jobs import services as jobs
from annotate.jobs.models import Job
from protocols.registry import PROTOCOLS

from .services import outdated, photographs_changed
from .work import KIND


def start_again(*, dataset: Dataset, person: User | None) -> list[Job]:
    """Start scoring again, with the newest run of each protocol if it is outdated."""
    runs = dataset.runs.latest_of_each_protocol().select_related("dataset")
    old = outdated(runs)
    return [
        jobs.start(
            kind=KIND,
            person=person,
            title=f"Score {run.name} on {dataset} again",
            dataset=dataset.pk,
            protocol=run.protocol,
            parameters=run.parameters,
            after=run.pk,
            # A job that began before is no reason to start none.
            mended=mended(dataset),
            photographs=str(photographs_changed(dataset)),
        )
        for run in runs
        if run.pk in old and run.protocol in PROTOCOLS
    ]
