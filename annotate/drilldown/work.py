"""The job that counts over a large study."""

from collections.abc import Mapping
from typing import Any

from django.urls import reverse

from annotate.jobs import services as jobs
from annotate.jobs.errors import JobFailed
from annotate.jobs.registry import Running
from annotate.reports import background_counts
from annotate.studies.exclusions import left_out
from annotate.studies.models import Study

from .annotators.page import totals_of
from .images.disagreement import asked_for, disagreement


def count(arguments: Mapping[str, Any], running: Running) -> None:
    """Run the job. Raises JobFailed if the study or a protocol's run has been deleted."""
    study = jobs.still_there(Study.objects.all(), arguments["study"])
    what, asked = arguments["what"], arguments["asked"]
    value: Any
    if what == background_counts.ANNOTATORS:
        value, address = (
            totals_of(study, left_out(study), asked["consensus"], running),
            reverse("evidence:annotators", args=[study.slug]),
        )
    else:
        running.tell(0, 0, "Comparing the rankings")
        question = asked_for(study, asked)
        if question is None:
            raise JobFailed("A protocol has since been removed. Choose again.")
        value = disagreement(study, question).shortened()
        address = f"{reverse('evidence:disagreement', args=[study.slug])}?{question.query}"
    with running.publishing() as outcome:
        background_counts.keep(study, what, value, **asked)
        outcome.text, outcome.address = "It is counted.", address
