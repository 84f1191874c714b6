"""The short introduction: two worked examples, the keys, and three practice pairs on one page."""

from collections.abc import Mapping
from typing import Any, Final

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.translation import gettext as _

from annotate.studies.models import Study

from . import presentation
from .pairs import CARDS, CHECKED, EQUAL, EXERCISES, LEFT, RIGHT, Exercise

ROUND: Final = 1
_EXAMPLES: Final = CARDS[:2]
# A box that is too large, a missing word and a false box would all be easy; these differ.
PRACTISED: Final = tuple(EXERCISES[ROUND][at] for at in (0, 1, 3))


def short_answers(posted: QueryDict) -> dict[str, dict[str, str]]:
    """Return the answers to the practice pairs that were answered in full, by their slug."""
    given = {}
    for exercise in PRACTISED:
        slug = exercise.pair.slug
        answers = {name: posted.get(f"{slug}-{name}", "") for name in CHECKED}
        if set(answers.values()) <= {LEFT, EQUAL, RIGHT}:
            given[slug] = answers
    return given


def short_lesson(
    request: HttpRequest,
    study: Study,
    *,
    answers: Mapping[str, Mapping[str, str]] | None,
    start_url: str,
    is_preview: bool = False,
) -> HttpResponse:
    """Render the short introduction; with ``answers``, even none, what was to be seen and the start."""
    context: dict[str, Any] = {
        "study": study,
        "examples": [
            {**_shown(card.pair), "card": card, "rows": presentation.card_rows(card, study)[:2]}
            for card in _EXAMPLES
        ],
        "practice": [_practice(exercise, study, answers) for exercise in PRACTISED],
        "is_answered": answers is not None,
        "start_url": start_url,
        "is_preview": is_preview,
    }
    return render(request, "learning/short.html", context)


def _practice(
    exercise: Exercise, study: Study, answers: Mapping[str, Mapping[str, str]] | None
) -> dict[str, Any]:
    shown = {**_shown(exercise.pair), "slug": exercise.pair.slug}
    if answers is None:
        return {**shown, "criteria": presentation.criteria(study)[: len(CHECKED)]}
    given = answers.get(exercise.pair.slug)
    chosen = given or dict.fromkeys(CHECKED, "")
    rows = presentation.feedback(exercise, {**chosen, "preference": ""})[: len(CHECKED)]
    return {**shown, "rows": rows, "is_given": given is not None}


def _shown(pair: Any) -> dict[str, Any]:
    shown = presentation.shown(pair)
    image = shown["image"]
    return {
        "image": image,
        "sides": [
            {"title": _("Left"), "result": shown["left"]},
            {"title": _("Right"), "result": shown["right"]},
        ],
        "view_box": f"0 0 {image['width']:g} {image['height']:g}",
        "in_words": shown["in_words"],
    }
