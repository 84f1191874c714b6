"""Pairs for templates, in the same formats as on the comparison page."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.templatetags.static import static
from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.datasets.drawing import counted_boxes
from annotate.judging.models import CRITERION_NAMES, Verdict
from annotate.studies.models import Study

from .pairs import CHECKED, CRITERIA, EQUAL, LEFT, RIGHT, Card, Exercise, Pair
from .pictures import Box


def shown(pair: Pair) -> dict[str, Any]:
    """Return a pair for the panes, with a text alternative."""
    picture = pair.picture
    image = {
        "key": pair.slug,
        "url": static(f"img/learning/{picture.file}"),
        "width": picture.width,
        "height": picture.height,
        "is_drawing": picture.file.endswith(".svg"),
    }
    left, right = _side(pair.left), _side(pair.right)
    says = _(pair.picture.says)
    told_left = _("Left: {boxes}.").format(boxes=_in_words(pair, pair.left))
    told_right = _("Right: {boxes}.").format(boxes=_in_words(pair, pair.right))
    return {
        "image": image,
        "left": left,
        "right": right,
        # For pictures without a camera.
        "view_box": f"0 0 {picture.width:g} {picture.height:g}",
        "sides": [
            {"title": _("Left"), "result": left, "in_words": f"{says} {told_left}"},
            {"title": _("Right"), "result": right, "in_words": told_right},
        ],
        "close_up": _view_box(pair.close_up),
        # Input of the panes' script, in the comparison page's format.
        "payload": {
            "screen": {"id": pair.slug, "first": LEFT},
            "study": {"settings": {"ground_truth": "never"}},
            "image": image,
            "left": left,
            "right": right,
            "close_up": pair.close_up,
        },
        "in_words": f"{says} {told_left} {told_right}",
    }


def card_rows(card: Card, study: Study) -> list[dict[str, str]]:
    rows = []
    for criterion in CRITERIA:
        verdict = getattr(card, criterion)
        rows.append(
            {
                "title": str(CRITERION_NAMES[criterion]),
                "question": study.questions[criterion],
                "answer": verdict.answer,
                "words": _words_of(verdict.answer) or _("You decide"),
                "why": _(verdict.why),
            }
        )
    return rows


def criteria(study: Study) -> list[dict[str, str]]:
    """Return the three questions as the comparison page asks them."""
    return [
        {
            "name": criterion,
            "title": str(CRITERION_NAMES[criterion]),
            "question": study.questions[criterion],
            "state": "open",
        }
        for criterion in CRITERIA
    ]


def feedback(exercise: Exercise, answers: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return a row for each answered criterion: the chosen verdict and the obvious one."""
    rows: list[dict[str, Any]] = []
    for criterion in CHECKED:
        expected, chosen = exercise.expected[criterion], answers[criterion]
        rows.append(
            {
                "title": str(CRITERION_NAMES[criterion]),
                "chosen": _words_of(chosen),
                "is_right": chosen == expected,
                "expected": _words_of(expected),
                "why": _(exercise.why[criterion]),
                "says": _EXPECTED[expected].format(why=_(exercise.why[criterion])),
            }
        )
    if "preference" not in answers:
        return rows
    rows.append(
        {
            "title": str(CRITERION_NAMES["preference"]),
            "chosen": _words_of(answers["preference"]),
            "is_right": None,
            "says": _("There is no wrong answer to this one."),
        }
    )
    return rows


_EXPECTED = {
    LEFT: gettext_lazy("The left result is better here: {why}"),
    EQUAL: gettext_lazy("They are equal here: {why}"),
    RIGHT: gettext_lazy("The right result is better here: {why}"),
}


def _words_of(answer: str) -> str:
    return str(Verdict(answer).label) if answer else ""


def _side(boxes: Iterable[Box]) -> dict[str, Any]:
    polygons = [
        f"{left:g},{top:g} {right:g},{top:g} {right:g},{bottom:g} {left:g},{bottom:g}"
        for left, top, right, bottom in boxes
    ]
    return {"polygons": polygons, "label": counted_boxes(len(polygons))}


def _view_box(box: Box | None) -> str:
    if box is None:
        return ""
    left, top, right, bottom = box
    return f"{left:g} {top:g} {right - left:g} {bottom - top:g}"


def _in_words(pair: Pair, boxes: Iterable[Box]) -> str:
    said = [_said(pair, box) for box in boxes]
    return "; ".join(said) if said else _("no boxes")


def _said(pair: Pair, box: Box) -> str:
    """Describe the words inside a box, or else those it cuts, and whether it is far too large."""
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
        return _("a box on no text")
    named = get_text_list(
        [_("“{text}”").format(text=text) for text, _area in inside or cut], _("and")
    )
    if not inside:
        return _("a box on a part of {words}").format(words=named)
    area = (box[2] - box[0]) * (box[3] - box[1])
    is_far_too_large = area > 4 * sum(of_text for _text, of_text in inside)
    words = (
        _("a much too large box round {words}") if is_far_too_large else _("a box round {words}")
    )
    return words.format(words=named)
