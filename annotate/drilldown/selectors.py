"""Mistakes of a study's annotators that come again, for other subjects."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from annotate.reports.cache import Asked, computed
from annotate.reports.services import usual_settings
from annotate.studies.exclusions import left_out
from annotate.studies.models import Study
from rankings.elicitation.error_rate import Mistakes

from .annotators.page import totals_of


def mistakes_in(study: Study) -> Mistakes:
    """Return the repeated mistakes of a study's annotators, cached until there are new answers."""
    settings, excluded = usual_settings(study), left_out(study)

    def compute(_: None) -> Mapping[str, Any]:
        of_people = totals_of(study, excluded, settings.consensus).items()
        return asdict(
            sum((own.mistakes for one, own in of_people if one not in excluded), Mistakes())
        )

    return Mistakes(**computed(Asked(study, settings, ()), ("mistakes",), lambda: None, compute))
