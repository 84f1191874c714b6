"""A turn as data for the page, without method names or other people's answers."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from django.contrib.auth.models import User
from django.urls import get_script_prefix, reverse
from django.utils.crypto import salted_hmac

from annotate.accounts.models import Preferences
from annotate.datasets.drawing import counted_boxes, drawn, room_around
from annotate.datasets.models import Image, Method, Result
from annotate.studies.models import Study
from protocols import registry
from protocols.core.base import ImageScore, Scene

from .annotator_summary import pace, progress_data, progress_of_quota
from .answer_history import Past
from .attention_checks import copy_of, pair_of
from .current_screen import Turn
from .image_allocation import n_images_of
from .models import CRITERION_NAMES, Assignment, Judgement, Skip
from .planning import is_one_pair
from .quotas import Remaining
from .visits import Visit

_ID_LENGTH = 16


def payload(turn: Turn, remaining: Remaining, have: str = "") -> dict[str, Any]:
    """Return the screen as JSON-able data, which the page's template and its script both draw.

    ``have``: keys of the images whose results the page already has, the one it shows first, divided
    by commas. They are left out, and so are the number of images, the user's preferences and pace,
    which a page reads when it is opened.
    """
    screen, assignment = turn.screen, turn.assignment
    image, study, annotator = assignment.image, assignment.study, assignment.annotator
    implied = turn.implied
    asked, is_visit = asked_of(assignment), bool(remaining.quota)
    shown = image_data(
        *(study, annotator, image, assignment.known, asked),
        have=have.split(","),
        is_visit=is_visit,
        visit=turn.visit,
    )
    person = {} if have else {"person": Preferences.of(annotator).for_scripts, "pace": pace(turn)}
    quota, n_images, n_done = remaining.quota, None, remaining.n_asked
    if n_done is not None:
        total = {"total": quota.max_pairs, "pair": n_done + 1}
    elif shown["key"] != have.split(",")[0] or is_one_pair(assignment):
        n_images = remaining.n_images or n_images_of(study, annotator)
        n_images = min(n_images, quota.max_images or n_images)
        total = {"total": n_images}
    else:
        total = {}
    return {
        "screen": {
            "id": screen.public_id,
            "number": screen.number,
            "first": screen.first,
            "answer_url": reverse("judging:answer", args=[screen.public_id]),
            "skip_url": reverse("judging:skip", args=[screen.public_id]),
            "note_url": reverse("judging:note", args=[screen.public_id]),
        },
        "study": study_data(study, is_visit=is_visit),
        **person,
        "image": {**shown, **total, "number": assignment.position},
        **_ids_of_sides(turn),
        "criteria": criteria_data(study, implied),
        "answers": {
            criterion: verdict
            for criterion, verdict in turn.answers.items()
            if criterion not in implied
        },
        "progress": progress_data(turn, n_images)
        if n_done is None
        else progress_of_quota(turn, n_done, quota.max_pairs or 0),
        "can_undo": turn.can_undo,
        "message": "",
    }


def criteria_data(study: Study, implied: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the questions as the page shows them; those with an implied verdict are answered."""
    return [
        {
            "name": criterion,
            "title": str(CRITERION_NAMES[criterion]),
            "question": question,
            "state": "implied" if criterion in implied else "open",
            "verdict": implied.get(criterion),
        }
        for criterion, question in study.questions.items()
    ]


def _ids_of_sides(turn: Turn) -> dict[str, str]:
    """Return the ids under which the page has the left and the right result."""
    screen, image = turn.screen, turn.assignment.image
    shown: dict[str, object] = {"left": screen.left_id, "right": screen.right_id}
    pair = pair_of(screen)
    if pair is not None:
        shown[pair["side"]] = _copy_name(screen.known)
    study, annotator = turn.assignment.study, turn.assignment.annotator
    return {side: opaque_id(study, annotator, image, what) for side, what in shown.items()}


def _copy_name(number: int | None) -> str:
    return f"copy {number}"


def asked_of(assignment: Assignment) -> list[int] | None:
    """Return the results that a visit compares, or None for all results of the image."""
    if assignment.drawn is None:
        return None
    return [result for item in assignment.items for result in item]


def image_data(
    study: Study,
    annotator: User,
    image: Image,
    known: Sequence[Mapping[str, Any]],
    asked: list[int] | None = None,
    *,
    have: Collection[str] = (),
    methods: Iterable[Method] | None = None,
    is_visit: bool = False,
    visit: Visit | None = None,
) -> dict[str, Any]:
    """Return an image with the results in ``asked`` (None: all of them), under opaque ids.

    Ids and order of the results differ for each annotator and image. They include the copies in the
    image's ``known`` pairs. ``have``: keys of images whose results are left out. ``methods`` are
    those of a study that is not stored; ``visit`` has the results, if the image was just chosen. A
    visit by a link (``is_visit``) gets no ground truth and no matches.
    """
    # The database may give the keys of an object in another order.
    what = f"image {json.dumps(known, sort_keys=True)}"
    if asked is not None:
        what += f" {sorted(asked)}"
    key = opaque_id(study, annotator, image, what)
    url = address("datasets:image", image.sha256) if image.sha256 else None
    if key in have:
        # Without a photograph the size follows from the results, which the page already has.
        size = {"width": image.width, "height": image.height} if image.width else {}
        return {"key": key, "url": url, **size}
    if visit is None:
        methods = study.methods.all() if methods is None else methods
        taking_part = Result.objects.filter(image=image, method__in=methods)
        results = list(taking_part if asked is None else taking_part.filter(pk__in=asked))
    else:
        results = visit.shown
        image = results[0].image
    every_region = [region for result in results for region in result.detections]
    width, height = image.size_to_draw(every_region)
    room = room_around((width, height), every_region)
    convention = image.dataset.box_convention
    by_id = {opaque_id(study, annotator, image, result.pk): result for result in results}
    stored = {result.pk: result for result in results}
    for number, pair in enumerate(known):
        if pair["result"] in stored:
            name = opaque_id(study, annotator, image, _copy_name(number))
            by_id[name] = copy_of(pair, stored[pair["result"]])
    return {
        "key": key,
        "url": url,
        "width": width,
        "height": height,
        **({"room": list(room)} if any(room) else {}),
        "results": {name: result_data(by_id[name], convention) for name in sorted(by_id)},
        "truth": None if is_visit else _truth_data(study, image, convention),
        "matches": None if is_visit else _matches_data(study, image, by_id),
    }


def opaque_id(study: Study, annotator: User, image: Image, what: object) -> str:
    """Return an id that is fixed for this annotator and image, and reveals nothing."""
    text = f"{study.pk}/{study.seed}/{annotator.pk}/{image.pk}/{what}"
    return salted_hmac("annotate.judging.screens", text, algorithm="sha256").hexdigest()[
        :_ID_LENGTH
    ]


def result_data(result: Result, convention: str) -> dict[str, Any]:
    polygons = drawn(result.detections, convention)
    return {"polygons": polygons, "label": counted_boxes(len(polygons))}


def _truth_data(study: Study, image: Image, convention: str) -> dict[str, list[str]] | None:
    if study.ground_truth == Study.GroundTruth.NEVER:
        return None
    counted = [region for region in image.truth_regions if not region.ignored]
    ignored = [region for region in image.truth_regions if region.ignored]
    return {"polygons": drawn(counted, convention), "ignored": drawn(ignored, convention)}


def _matches_data(
    study: Study, image: Image, results: Mapping[str, Result]
) -> dict[str, dict[str, list[str]]] | None:
    """Return the matches of each region by the study's protocol, if annotators may see them."""
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
            # In the order of the truth's polygons, which leave out ignored ones.
            "truth": [
                fate for fate, region in zip(fates, scene.truth, strict=True) if not region.ignored
            ],
            "detections": _fates("detection", score, len(result.detections)),
        }
    return matches


def _fates(side: str, score: ImageScore, n: int) -> list[str]:
    fates = ["unmatched"] * n
    for unmatched in score.unmatched:
        if unmatched.side == side and unmatched.is_out:
            fates[unmatched.index] = "ignored"
    for match in score.matches:
        for at in match.truth if side == "truth" else match.detections:
            fates[at] = "matched" if match.kind == "one-to-one" else "part"
    return fates


def address(name: str, of: str) -> str:
    """Return an address that many answers contain: a page of a study, a photograph."""
    return _address(get_script_prefix(), name, of)


@lru_cache(maxsize=2000)
def _address(_prefix: str, name: str, of: str) -> str:
    return reverse(name, args=[of])


def study_data(study: Study, *, is_visit: bool = False) -> dict[str, Any]:
    """Return the study as the page shows it; ``is_visit`` is true for participants by a link."""
    protocol = None if is_visit else registry.PROTOCOLS.get(study.match_protocol)
    never = Study.GroundTruth.NEVER.value
    return {
        "name": study.name,
        "undo_url": address("judging:undo", study.slug),
        "pause_url": address("judging:own", study.slug),
        "history_url": address("judging:history", study.slug),
        "next_image_url": address("judging:next_image", study.slug),
        "settings": {
            "is_visit": is_visit,
            "ground_truth": never if is_visit else study.ground_truth,
            "match_colours": protocol.name if protocol else "",
            "same_for_all": study.same_for_all,
            "keep_camera": study.keep_camera,
            "twin_iou": study.twin_iou,
            "place_list": never if is_visit else study.place_list,
            "break_minutes": study.break_minutes,
            "break_screens": study.break_screens,
        },
    }


def past_data(past: Past) -> dict[str, Any]:
    """Return a past screen for the history drawer."""
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
        "left": result_data(past.left, convention),
        "right": result_data(past.right, convention),
        "verdicts": verdicts,
        "at": event.created,
        "skipped": event.get_reason_display() if isinstance(event, Skip) else "",
        "n_set_aside": past.n_set_aside,
        "change_url": reverse("judging:change", args=[screen.public_id]),
    }
