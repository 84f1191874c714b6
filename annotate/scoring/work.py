"""Scoring as a job: a protocol is one."""

from collections.abc import Mapping
from typing import Any, Final

from django.contrib.auth.models import User
from django.urls import reverse

from annotate.datasets.models import Dataset
from annotate.jobs import services as jobs
from annotate.jobs.engine import computing
from annotate.jobs.models import Job
from annotate.jobs.registry import Running
from text_rankings.base.i18n import gettext as _
from text_rankings.base.i18n import gettext_noop, ngettext

from . import services

KIND: Final = "scoring.score"


def start(*, dataset: Dataset, slug: str, parameters: Mapping[str, Any], person: User) -> Job:
    """Start scoring a dataset with a protocol. Raises NotScored for faults that are known at once."""
    protocol = services.protocol_named(slug, parameters)
    return jobs.start(
        kind=KIND,
        person=person,
        title=gettext_noop("Score {protocol} on {dataset}").format(
            protocol=services.run_name(protocol), dataset=dataset
        ),
        dataset=dataset.pk,
        protocol=slug,
        parameters=dict(parameters),
    )


def score(arguments: Mapping[str, Any], running: Running) -> None:
    """Do the work of the job; raises NotScored, also where the dataset is gone."""
    dataset = Dataset.objects.filter(pk=arguments["dataset"]).first()
    if dataset is None:
        raise services.NotScored(_("The dataset is no longer here."))

    protocol = services.protocol_named(arguments["protocol"], arguments["parameters"])
    with computing() as executor:
        scored = services.compute(
            dataset,
            protocol,
            lambda done, total: running.tell(done, total, _("Results scored")),
            executor,
        )
    with running.publishing() as outcome:
        run = services.publish(scored)
        outcome.text = ngettext(
            "{protocol} scored {n} result.", "{protocol} scored {n} results.", run.n_scores or 0
        ).format(protocol=run.name, n=run.n_scores)
        outcome.made = {"run": run.pk}
        outcome.address = reverse("datasets:detail", args=[dataset.slug])
