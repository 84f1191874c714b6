"""Scoring again, for pages that correct what was scored."""

from django.contrib.auth.models import User

from annotate.datasets.mending import mended
from annotate.datasets.models import Dataset
from annotate.jobs import services as jobs
from annotate.jobs.models import Job
from protocols.registry import PROTOCOLS

from .models import ProtocolRun
from .work import KIND


def start_again(*, dataset: Dataset, person: User) -> list[Job]:
    """Start scoring the corrected images again, with the newest run of each protocol."""
    runs = dataset.runs.latest_of_each_protocol().filter(origin=ProtocolRun.Origin.COMPUTED)
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
        )
        for run in runs
        if run.protocol in PROTOCOLS
    ]
