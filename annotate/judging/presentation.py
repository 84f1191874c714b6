"""A turn as data for the page: no method's name, no other person's answer is in it."""

from collections.abc import Iterable, Mapping
from statistics import median
from typing import Any

from django.contrib.auth.models import User
from django.urls import reverse
from django.utils.crypto import salted_hmac

from annotate.accounts.models import Preferences
from annotate.datasets.drawing import drawn
from annotate.datasets.models import Image, Result
from annotate.studies.models import Study
from protocols import registry
from protocols.core.base import ImageScore, Scene
from rankings.elicitation import CRITERIA, Remaining
from rankings.rechecks import remaining_with_checks

from .changes import Past
from .models import Assignment, Judgement, Skip, Verdict
from .planning import n_checks_of
from .sharing import n_images_of
from .turns import Turn, strategy_of

_N_TIMES = 20
_ID_LENGTH = 16


def payload(turn: Turn, message: str = "", have: str = "") -> dict[str, Any]:
    """Return the screen as JSON-able data; the page's template and its script draw the same.

    ``have`` is the key of the image whose results the page has already: they are left out, and so
    are the person's preferences, which a page reads when it is opened.
    """
    screen, assignment = turn.screen, turn.assignment
    image, study, annotator = assignment.image, assignment.study, assignment.annotator
    n_images = n_images_of(study, annotator)
    remaining = remaining_with_checks(
        turn.settled, turn.entries, strategy_of(study), n_checks_of(assignment)
    )
    implied = turn.implied
    shown = image_data(study, annotator, image, have=have)
    person = {} if have else {"person": preferences_data(annotator)}
    return {
        "screen": {
            "id": screen.public_id,
            "number": screen.number,
            "answer_url": reverse("judging:answer", args=[screen.public_id]),
            "skip_url": reverse("judging:skip", args=[screen.public_id]),
        },
        "study": _study_data(study),
        **person,
        "image": {**shown, "number": assignment.position, "total": n_images},
        "left": opaque_id(study, annotator, image, screen.left_id),
        "right": opaque_id(study, annotator, image, screen.right_id),
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
            "minutes": _minutes_left(study, annotator, remaining),
            "note": turn.note,
        },
        "can_undo": turn.can_undo,
        "message": message,
    }


def sides(turn: Turn) -> dict[str, dict[str, Any]]:
    """Return what a page without scripts draws on the left and on the right."""
    screen = turn.screen
    results = Result.objects.in_bulk([screen.left_id, screen.right_id])
    convention = turn.assignment.image.dataset.box_convention
    return {
        "left": _result_data(results[screen.left_id], convention),
        "right": _result_data(results[screen.right_id], convention),
    }


def image_data(study: Study, annotator: User, image: Image, *, have: str = "") -> dict[str, Any]:
    """Return an image with all its results under ids that tell nothing.

    Ids and the order of the results differ for each annotator and image.
    """
    key = opaque_id(study, annotator, image, "image")
    url = reverse("datasets:image", args=[image.sha256]) if image.sha256 else None
    if key == have:
        # Without a photograph the size follows from the results, which the page has.
        size = {"width": image.width, "height": image.height} if image.width else {}
        return {"key": key, "url": url, **size}
    results = list(Result.objects.filter(image=image, method__in=study.methods.all()))
    every_region = [region for result in results for region in result.detections]
    width, height = image.size_to_draw(every_region)
    convention = image.dataset.box_convention
    by_id = {opaque_id(study, annotator, image, result.pk): result for result in results}
    return {
        "key": key,
        "url": url,
        "width": width,
        "height": height,
        "results": {name: _result_data(by_id[name], convention) for name in sorted(by_id)},
        "truth": _truth_data(study, image, convention),
        "matches": _matches_data(study, image, by_id),
    }


def opaque_id(study: Study, annotator: User, image: Image, what: object) -> str:
    """Return an id that is the same for this annotator and image every time, and tells nothing."""
    text = f"{study.pk}/{study.seed}/{annotator.pk}/{image.pk}/{what}"
    return salted_hmac("annotate.judging.screens", text, algorithm="sha256").hexdigest()[
        :_ID_LENGTH
    ]


def _result_data(result: Result, convention: str) -> dict[str, Any]:
    polygons = drawn(result.detections, convention)
    label = {0: "No boxes", 1: "1 box"}.get(len(polygons), f"{len(polygons)} boxes")
    return {"polygons": polygons, "label": label}


def _truth_data(study: Study, image: Image, convention: str) -> dict[str, list[str]] | None:
    if study.ground_truth == Study.GroundTruth.NEVER:
        return None
    counted = [region for region in image.truth_regions if not region.ignored]
    ignored = [region for region in image.truth_regions if region.ignored]
    return {"polygons": drawn(counted, convention), "ignored": drawn(ignored, convention)}


def _matches_data(
    study: Study, image: Image, results: Mapping[str, Result]
) -> dict[str, dict[str, list[str]]] | None:
    """Return what the study's protocol makes of each region, where annotators may see it."""
    if study.match_protocol not in registry.PROTOCOLS:
        return None
    protocol = registry.get(study.match_protocol)
    matches = {}
    for name, result in results.items():
        scene = Scene(
            image.truth_regions, result.detections, width=image.width, height=image.height
        )
        [score] = protocol.score([scene])
        fates = _fates("truth", score, len(scene.truth))
        matches[name] = {
            # In the order of the truth's polygons, which leave out what is ignored.
            "truth": [
                fate for fate, region in zip(fates, scene.truth, strict=True) if not region.ignored
            ],
            "detections": _fates("detection", score, len(result.detections)),
        }
    return matches


def _fates(side: str, score: ImageScore, n: int) -> list[str]:
    fates = ["unmatched"] * n
    for unmatched in score.unmatched:
        if unmatched.side == side and "ignored" in unmatched.reason:
            fates[unmatched.index] = "ignored"
    for match in score.matches:
        for at in match.truth if side == "truth" else match.detections:
            fates[at] = "matched" if match.kind == "one-to-one" else "part"
    return fates


def _study_data(study: Study) -> dict[str, Any]:
    protocol = registry.PROTOCOLS.get(study.match_protocol)
    return {
        "name": study.name,
        "undo_url": reverse("judging:undo", args=[study.slug]),
        "pause_url": reverse("home"),
        "history_url": reverse("judging:history", args=[study.slug]),
        "next_image_url": reverse("judging:next_image", args=[study.slug]),
        "settings": {
            "ground_truth": study.ground_truth,
            "match_colours": protocol.name if protocol else "",
            "same_for_all": study.same_for_all,
            "keep_camera": study.keep_camera,
            "break_minutes": study.break_minutes,
            "break_screens": study.break_screens,
        },
    }


def preferences_data(annotator: User) -> dict[str, Any]:
    preferences = Preferences.objects.filter(person=annotator).first() or Preferences()
    return {
        "advance": preferences.advance,
        "single_keys": preferences.single_keys,
        "keys": preferences.keys,
    }


def _share(turn: Turn, n_images: int, remaining: Remaining) -> float:
    """Return the share of the whole study that this annotator has done, in [0, 1]."""
    done = turn.screen.number - 1
    of_this_image = done / (done + max(remaining.expected, 1.0))
    return round((turn.assignment.position - 1 + of_this_image) / max(n_images, 1), 4)


def _minutes_left(study: Study, annotator: User, remaining: Remaining) -> float | None:
    """Return the expected minutes for this image, from the median of the last active times."""
    # Of the last images alone: what somebody answered in all is thousands of rows.
    own = Assignment.objects.filter(study=study, annotator=annotator).order_by("-position")
    times = Judgement.objects.filter(
        assignment__in=own.values("pk")[:_N_TIMES],
        seconds_taken__isnull=False,
    ).order_by("-created", "-pk")
    seconds = times.values_list("seconds_taken", flat=True)[:_N_TIMES]
    last = [taken for taken in seconds if taken is not None]
    return round(median(last) * remaining.expected / 60, 1) if last else None


def remaining_text(remaining: Remaining) -> str:
    """Say how many pairs of this image are left, as exactly as it is known."""
    least, most = remaining.least, remaining.most
    if least == most:
        return "1 pair left" if most == 1 else f"{most} pairs left"
    about = min(max(round(remaining.expected), least), most)
    return f"About {about} pair{'' if about == 1 else 's'} left ({least} to {most})"


def history_data(study: Study, annotator: User, pasts: Iterable[Past]) -> list[dict[str, Any]]:
    """Return past screens for the history drawer, newest first."""
    return [_past_data(study, past) for past in pasts]


def _past_data(study: Study, past: Past) -> dict[str, Any]:
    screen, image = past.screen, past.screen.assignment.image
    convention = image.dataset.box_convention
    width, height = image.size_to_draw([*past.left.detections, *past.right.detections])
    event = past.event
    verdicts = event.verdicts if isinstance(event, Judgement) else {}
    return {
        "id": screen.public_id,
        "image_number": screen.assignment.position,
        "url": reverse("datasets:image", args=[image.sha256]) if image.sha256 else None,
        "width": width,
        "height": height,
        "left": _result_data(past.left, convention),
        "right": _result_data(past.right, convention),
        "verdicts": verdicts,
        "words": {name.capitalize(): Verdict(verdict).label for name, verdict in verdicts.items()},
        "skipped": event.get_reason_display() if isinstance(event, Skip) else "",
        "n_set_aside": past.n_set_aside,
        "change_url": reverse("judging:change", args=[screen.public_id]),
    }
