"""The protocols' order so far, in sentences and a table, for the progress page."""

from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django_stubs_ext import StrOrPromise

from annotate.reports.errors import TooLarge
from annotate.reports.services import require_small
from annotate.studies.models import RETIRED_END_RULE, Study

from .selectors import MIN_IMAGES, MIN_PEOPLE, Missing, Standings, missing, n_answers, standings_of

# Larger studies are not computed within a request.
MAX_IMAGES: Final = 500
CAUTION: Final = gettext_lazy(
    "This is the order so far, not a conclusion: annotators come one after another, and later ones may "
    "disagree with it. Draw conclusions from the report's tests, once, when the study has ended."
)


@dataclass(frozen=True)
class ShownStandings:
    """Content of the page: missing data, losses by criterion, and the rule that ends the study."""

    needed: str
    criteria: Standings
    reason: str
    ending: str
    caution: StrOrPromise = CAUTION


def shown_standings(study: Study) -> ShownStandings:
    needed, ending = needed_in_words(missing(study)), ending_of(study)
    try:
        require_small(study, MAX_IMAGES)
    except TooLarge:
        reason = _(
            "Above {n} images this is not computed while you wait; a kept report has the tests."
        ).format(n=MAX_IMAGES)
        return ShownStandings(needed, {}, reason, ending)
    found = standings_of(study)
    if not found:
        reason = _("There are fewer than two protocols to compare: score more protocols.")
        return ShownStandings(needed, {}, reason, ending)
    return ShownStandings(needed, found, "", ending)


def needed_in_words(lacking: Missing) -> str:
    """Describe the annotators and images that are needed before a conclusion is possible."""
    if not lacking.images:
        return _("{n} annotators have at least {images} images each.").format(
            n=lacking.n_enough, images=MIN_IMAGES
        )
    images = ngettext("{n} more image", "{n} more images", lacking.images).format(n=lacking.images)
    people = ngettext("{n} more annotator", "{n} more annotators", lacking.people)
    needed = _("Still needed: {images} in all.").format(images=images)
    if lacking.people:
        needed = _("Still needed: {people} and {images} in all.").format(
            people=people.format(n=lacking.people), images=images
        )
    so_far = _(
        "Too early for conclusions: at least {people} annotators must have {images} images each; "
        "so far {n} have them."
    ).format(people=MIN_PEOPLE, images=MIN_IMAGES, n=lacking.n_enough)
    return f"{so_far} {needed}"


def ending_of(study: Study) -> str:
    """Describe the rule that ends, or has ended, the study; empty if there is none."""
    is_retired = study.ends_by == RETIRED_END_RULE
    if study.ended is not None:
        time = f"{study.ended:%Y-%m-%d %H:%M}"
        if is_retired:
            return _(
                "A rule closed the study on {time}. Rules that end a study by its results"
                " are no longer used: they treated the first annotators as representative"
                " of all. Rely on the report's tests."
            ).format(time=time)
        return _("Its rule closed the study on {time}.").format(time=time)
    if study.answer_budget is not None:
        return _("The study ends by itself after {budget} answers; given so far: {n}.").format(
            budget=study.answer_budget, n=n_answers(study)
        )
    if is_retired:
        return _(
            "This study was to end by its results. That rule is no longer used, because "
            "it treated the first annotators as representative of all: close the study "
            "yourself."
        )
    return ""
