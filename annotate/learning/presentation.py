"""Pairs as templates show them, in the same shapes as on the comparison page."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.contrib.auth.models import User
from django.templatetags.static import static

from annotate.accounts.models import Preferences
from annotate.studies.models import Study

from .pairs import CHECKED, CRITERIA, EQUAL, LEFT, RIGHT, Card, Exercise, Pair
from .pictures import HEIGHT, WIDTH, Box

WORDS = {LEFT: "Left better", EQUAL: "Equal", RIGHT: "Right better"}


def shown(pair: Pair) -> dict[str, Any]:
    """Return a pair as the panes draw it, and in words for those who cannot see it."""
    return {
        "image": {
            "url": static(f"img/learning/{pair.picture.slug}.svg"),
            "width": WIDTH,
            "height": HEIGHT,
        },
        "left": _side(pair.left),
        "right": _side(pair.right),
        "in_words": " ".join(
            [
                pair.picture.says,
                f"Left: {_in_words(pair, pair.left)}.",
                f"Right: {_in_words(pair, pair.right)}.",
            ]
        ),
    }


def keys_of(person: User) -> dict[str, Any]:
    """Return this person's own keys in the shape that the comparison page's script reads."""
    preferences = Preferences.objects.filter(person=person).first()
    if preferences is None:
        return {}
    return {"single_keys": preferences.single_keys, "keys": preferences.keys}


def card_rows(card: Card, study: Study) -> list[dict[str, str]]:
    rows = []
    for criterion in CRITERIA:
        verdict = getattr(card, criterion)
        rows.append(
            {
                "title": criterion.capitalize(),
                "question": study.questions[criterion],
                "answer": verdict.answer,
                "words": WORDS.get(verdict.answer, "You decide"),
                "why": verdict.why,
            }
        )
    return rows


def criteria(study: Study) -> list[dict[str, str]]:
    """The three questions as the comparison page asks them."""
    return [
        {
            "name": criterion,
            "title": criterion.capitalize(),
            "question": study.questions[criterion],
            "state": "open",
        }
        for criterion in CRITERIA
    ]


def feedback(exercise: Exercise, answers: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return a row for each criterion: the verdict chosen and the one that is plain to see."""
    rows: list[dict[str, Any]] = []
    for criterion in CHECKED:
        expected, chosen = exercise.expected[criterion], answers[criterion]
        rows.append(
            {
                "title": criterion.capitalize(),
                "chosen": WORDS[chosen],
                "is_right": chosen == expected,
                "says": f"{_EXPECTED[expected]}: {exercise.why[criterion]}",
            }
        )
    rows.append(
        {
            "title": "Preference",
            "chosen": WORDS[answers["preference"]],
            "is_right": None,
            "says": "There is no wrong answer to this one.",
        }
    )
    return rows


_EXPECTED = {
    LEFT: "The left result is better here",
    EQUAL: "They are equal here",
    RIGHT: "The right result is better here",
}


def _side(boxes: Iterable[Box]) -> dict[str, Any]:
    polygons = [
        f"{left:g},{top:g} {right:g},{top:g} {right:g},{bottom:g} {left:g},{bottom:g}"
        for left, top, right, bottom in boxes
    ]
    label = {0: "No boxes", 1: "1 box"}.get(len(polygons), f"{len(polygons)} boxes")
    return {"polygons": polygons, "label": label}


def _in_words(pair: Pair, boxes: Iterable[Box]) -> str:
    said = [_said(pair, box) for box in boxes]
    return "; ".join(said) if said else "no boxes"


def _said(pair: Pair, box: Box) -> str:
    """Name the words a box touches, how much of them, and whether it is far too large."""
    inside: list[tuple[str, float]] = []
    cut: list[tuple[str, float]] = []
    for text, (left, top, right, bottom) in pair.picture.boxes.items():
        wide = min(right, box[2]) - max(left, box[0])
        high = min(bottom, box[3]) - max(top, box[1])
        if wide <= 0 or high <= 0:
            continue
        share = wide * high / ((right - left) * (bottom - top))
        (inside if share > 0.95 else cut).append((text, (right - left) * (bottom - top)))
    if not inside and not cut:
        return "a box on no text"
    named = " and ".join(f"“{text}”" for text, _ in inside or cut)
    if not inside:
        return f"a box on a part of {named}"
    area = (box[2] - box[0]) * (box[3] - box[1])
    return f"a {'much too large ' if area > 4 * sum(a for _, a in inside) else ''}box round {named}"
