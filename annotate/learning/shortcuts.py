"""The short introduction: two worked examples, the keys, and three practice pairs on one page."""

from collections.abc import Mapping
from typing import Any, Final

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render

from annotate.studies.models import Study

from . import presentation, services
from .models import FirstVisit
from .pairs import CARDS, CHECKED, EQUAL, EXERCISES, LEFT, RIGHT, Exercise

ROUND: Final = 1
_ANSWERS: Final = frozenset((LEFT, EQUAL, RIGHT))
_EXAMPLES: Final = CARDS[:2]
# A box that is too large, a missing word and a false box would all be easy; these differ.
PRACTISED: Final = tuple(EXERCISES[ROUND][at] for at in (0, 1, 3))


def short_answers(posted: QueryDict) -> dict[str, dict[str, str]]:
    """Return the answers that were chosen, by the slug of the practice pair."""
    given = {}
    for exercise in PRACTISED:
        slug = exercise.pair.slug
        answers = {name: posted.get(f"{slug}-{name}", "") for name in CHECKED}
        given[slug] = {name: answer for name, answer in answers.items() if answer in _ANSWERS}
    return given


def are_complete(answers: Mapping[str, Mapping[str, str]]) -> bool:
    return all(len(answers.get(exercise.pair.slug, ())) == len(CHECKED) for exercise in PRACTISED)


def has_practised(visit: FirstVisit) -> bool:
    """Return whether the practice pairs of the short introduction are answered."""
    return all(services.stored_answers(visit, ROUND, exercise) for exercise in PRACTISED)


def short_lesson(
    request: HttpRequest,
    study: Study,
    *,
    answers: Mapping[str, Mapping[str, str]] | None,
    start_url: str,
    preview_url: str = "",
) -> HttpResponse:
    """Render the short introduction; with answers to all pairs, what was expected, why, and the start.

    Answers are missing: status 422, and the page marks the questions. ``preview_url`` takes the
    answers of a preview.
    """
    is_answered = answers is not None and are_complete(answers)
    context: dict[str, Any] = {
        "study": study,
        "examples": [
            {
                **presentation.shown(card.pair),
                "card": card,
                "rows": presentation.card_rows(card, study)[:2],
            }
            for card in _EXAMPLES
        ],
        "practice": [_practice(exercise, study, answers, is_answered) for exercise in PRACTISED],
        "is_answered": is_answered,
        "is_incomplete": answers is not None and not is_answered,
        "start_url": start_url,
        "preview_url": preview_url,
    }
    status = 422 if context["is_incomplete"] else 200
    return render(request, "learning/short.html", context, status=status)


def _practice(
    exercise: Exercise,
    study: Study,
    answers: Mapping[str, Mapping[str, str]] | None,
    is_answered: bool,
) -> dict[str, Any]:
    slug = exercise.pair.slug
    shown = {**presentation.shown(exercise.pair), "slug": slug}
    chosen = (answers or {}).get(slug, {})
    if is_answered:
        return {**shown, "rows": presentation.feedback(exercise, chosen)}
    asked = presentation.criteria(study)[: len(CHECKED)]
    for criterion in asked:
        criterion["chosen"] = chosen.get(criterion["name"], "")
    return {**shown, "criteria": asked}
