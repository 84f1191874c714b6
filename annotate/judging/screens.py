"""What the page needs to show a turn: no method's name, no other person's answer is in it."""

from typing import Any

from django.urls import reverse

from annotate.datasets.drawing import drawn
from annotate.datasets.models import Result
from rankings.elicitation import CRITERIA, Remaining

from .services import Turn


def payload(turn: Turn, message: str = "") -> dict[str, Any]:
    """Return the screen as JSON-able data; the page's template and its script draw the same."""
    screen, assignment = turn.screen, turn.assignment
    image, study = assignment.image, assignment.study
    convention = image.dataset.box_convention
    sides = Result.objects.in_bulk([screen.left_id, screen.right_id])
    left, right = sides[screen.left_id], sides[screen.right_id]
    width, height = image.size_to_draw([*left.detections, *right.detections])
    n_images = study.study_images.count()
    implied = turn.implied
    remaining = turn.state.remaining(study.strategy)
    return {
        "screen": {
            "id": screen.public_id,
            "number": screen.number,
            "answer_url": reverse("judging:answer", args=[screen.public_id]),
            "skip_url": reverse("judging:skip", args=[screen.public_id]),
        },
        "study": {
            "name": study.name,
            "undo_url": reverse("judging:undo", args=[study.slug]),
            "pause_url": reverse("home"),
        },
        "image": {
            "url": reverse("datasets:image", args=[image.sha256]) if image.sha256 else None,
            "width": width,
            "height": height,
            "number": assignment.position,
            "total": n_images,
        },
        "left": _side(left, convention),
        "right": _side(right, convention),
        "criteria": [
            {
                "name": criterion,
                "title": criterion.capitalize(),
                "question": study.questions[criterion],
                "state": "implied" if criterion in implied else "open",
                "verdict": implied.get(criterion),
            }
            for criterion in CRITERIA
        ],
        "answers": {
            criterion: verdict
            for criterion, verdict in turn.answers.items()
            if criterion not in implied
        },
        "progress": {
            "share": _share(turn, n_images, remaining),
            "least": remaining.least,
            "expected": round(remaining.expected, 1),
            "most": remaining.most,
            "text": remaining_text(remaining),
        },
        "can_undo": turn.can_undo,
        "message": message,
    }


def _side(result: Result, convention: str) -> dict[str, Any]:
    polygons = drawn(result.detections, convention)
    label = {0: "No boxes", 1: "1 box"}.get(len(polygons), f"{len(polygons)} boxes")
    return {"polygons": polygons, "label": label}


def _share(turn: Turn, n_images: int, remaining: Remaining) -> float:
    """How much of the whole study is behind this annotator, in [0, 1]."""
    done = turn.screen.number - 1
    of_this_image = done / (done + max(remaining.expected, 1.0))
    return round((turn.assignment.position - 1 + of_this_image) / max(n_images, 1), 4)


def remaining_text(remaining: Remaining) -> str:
    """Say how many pairs of this image are left, as exactly as it is known."""
    least, most = remaining.least, remaining.most
    if least == most:
        return "1 pair left" if most == 1 else f"{most} pairs left"
    about = min(max(round(remaining.expected), least), most)
    return f"About {about} pair{'' if about == 1 else 's'} left ({least} to {most})"
