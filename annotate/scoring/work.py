"""Scoring in jobs, one for each protocol."""

from collections.abc import Mapping
from typing import Any, Final

from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.datasets.models import Dataset
from annotate.jobs import services as jobs
from annotate.jobs.engine import computing
from annotate.jobs.models import Job
from annotate.jobs.registry import Running

from . import services
from .causes import explain
from .figures_by_image import keep_first
from .leaderboards import leaderboards_of
from .models import ProtocolRun

KIND: Final = "scoring.score"


def start(*, dataset: Dataset, slug: str, parameters: Mapping[str, Any], person: User) -> Job:
    """Start scoring a dataset with a protocol. Raises NotScored for faults known at once."""
    protocol = services.protocol_named(slug, parameters)
    return jobs.start(
        kind=KIND,
        person=person,
        title=f"Score {services.run_name(protocol)} on {dataset}",
        dataset=dataset.pk,
        protocol=slug,
        parameters=dict(parameters),
    )


def score(arguments: Mapping[str, Any], running: Running) -> None:
    """Run the job; raises NotScored, or JobFailed if the dataset is gone."""
    dataset = jobs.still_there(Dataset.objects.all(), arguments["dataset"])
    protocol = services.protocol_named(arguments["protocol"], arguments["parameters"])
    with computing() as executor:
        scored = services.compute(
            dataset,
            protocol,
            lambda done, total: running.tell(done, total, _("Results scored")),
            executor,
            ProtocolRun.objects.filter(pk=arguments.get("after", 0)).first(),
        )
    with running.publishing() as outcome:
        run = services.publish(scored)
        said = [
            ngettext(
                "{protocol} scored {n} result.", "{protocol} scored {n} results.", run.n_scores or 0
            ).format(protocol=run.name, n=run.n_scores),
            *scored.remarks,
        ]
        outcome.text = " ".join(said)
        outcome.made = {"run": run.pk}
        outcome.address = reverse("datasets:detail", args=[dataset.slug])
    # So that the pages of a large dataset need not compute them. The job has ended for its user.
    leaderboards_of(run)
    explain(run, kept=scored.kept)
    keep_first(run)


def explain_run(arguments: Mapping[str, Any], running: Running) -> None:
    """Run the job; raises JobFailed if the run is gone."""
    run = jobs.still_there(ProtocolRun.objects.select_related("dataset"), arguments["run"])
    with transaction.atomic():
        explain(run, lambda done, total: running.tell(done, total, _("Results explained")))
        running.require_permission()
    with running.publishing() as outcome:
        outcome.text, outcome.address = _("The causes are found."), arguments["address"]
    keep_first(run)
