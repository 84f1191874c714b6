"""For other subjects: mistakes of annotators that come again, and images on which methods do worst."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from annotate.datasets.models import Method
from annotate.reports.cache import Asked, computed
from annotate.reports.services import usual_settings
from annotate.scoring.models import ProtocolRun
from annotate.studies.exclusions import left_out
from annotate.studies.models import Study
from rankings.elicitation.error_rate import Mistakes

from .annotators.page import totals_of
from .images.worst_images import Question, worst_of


def mistakes_in(study: Study) -> Mistakes:
    """Return the repeated mistakes of a study's annotators, cached until there are new answers."""
    settings, excluded = usual_settings(study), left_out(study)

    def compute(_: None) -> Mapping[str, Any]:
        of_people = totals_of(study, excluded, settings.consensus).items()
        return asdict(
            sum((own.mistakes for one, own in of_people if one not in excluded), Mistakes())
        )

    return Mistakes(**computed(Asked(study, settings, ()), ("mistakes",), lambda: None, compute))


def worst_of_each(run: ProtocolRun, figure: str, methods: Iterable[Method], n: int) -> set[int]:
    """Return the keys of the n images on which each method loses most, together."""
    found = (worst_of(Question(run, figure, method))[0] for method in methods)
    return {key for worst in found for key in worst.images[:n]}
