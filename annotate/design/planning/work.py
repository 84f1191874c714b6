"""The job that simulates a planned design, and its cached result."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from hashlib import sha256
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.models import User
from django.core.cache import caches
from django.urls import reverse

from annotate.datasets.models import Dataset
from annotate.jobs import services as jobs
from annotate.jobs.errors import JobFailed
from annotate.jobs.models import Job
from annotate.jobs.registry import Running
from rankings.design.simulation import Simulated
from rankings.design.study_plans import Plan
from rankings.design.trials import Model, Trial, simulated_design, try_design
from rankings.errors import RankingError

KIND: Final = "planning.try"
# Models in order, the pilot's first.
MODELS: Final[tuple[Model, ...]] = ("normal", "thurstone", "plackett-luce")
_MOST_METHODS: Final = 10
_NOT_SIMULATED: Final = (
    "In this model no noise of protocols makes such a difference, or no study allows a test. Choose another "
    "model."
)


def simulated(found: Plan, dataset: Dataset, model: Model) -> Simulated | None:
    """Return the simulated study of a plan's cheapest design; None without one or if it is too large."""
    if found.cheapest is None:
        return None
    methods = min(max(2, dataset.methods.count()), _MOST_METHODS)
    try:
        return simulated_design(
            found.pilot, found.question, found.cheapest, model=model, methods=methods
        )
    except RankingError:
        return None


def start(*, study: Simulated, dataset: Dataset, query: str, person: User) -> Job:
    """Start simulating a design; ``query`` is the query string of the plan's page."""
    title = f"Try a design on {dataset}"
    return jobs.start(
        kind=KIND,
        person=person,
        title=title,
        dataset=dataset.pk,
        settings=asdict(study),
        query=query,
    )


def compute(arguments: Mapping[str, Any], running: Running) -> None:
    """Do the work of the job. Raises JobFailed if the dataset is gone or nothing can be tested."""
    dataset = jobs.still_there(Dataset.objects.all(), arguments["dataset"])
    study = Simulated(**arguments["settings"])
    doing = "Simulating studies"
    try:
        trial = try_design(study, lambda done, total: running.tell(done, total, doing))
    except RankingError as fault:
        raise JobFailed(_NOT_SIMULATED) from fault
    with running.publishing() as outcome:
        caches["reports"].set(_key(study), asdict(trial))
        outcome.text = "The design was tried."
        page = reverse("planning:plan", args=[dataset.slug])
        outcome.address = f"{page}?{arguments['query']}#try"


def last(study: Simulated) -> Trial | None:
    """Return the cached trial of a study, or None."""
    kept = caches["reports"].get(_key(study))
    return None if kept is None else Trial(**kept)


def _key(study: Simulated) -> str:
    text = json.dumps([settings.PROGRAM, asdict(study)], sort_keys=True)
    return f"trial-{sha256(text.encode()).hexdigest()}"
