"""Scenes as JSON: an image's truth and detections in, scores with their matches out."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from protocols.core.base import ImageScore, Scene
from protocols.core.errors import ProtocolError, RegionError
from protocols.core.regions import Region

_PLAIN: Final = ("text", "confidence", "ignored", "label", "cell")


class SceneError(ProtocolError, ValueError):
    """Data that are not a scene; the message names the place."""


def read_scene(given: Any, place: str) -> Scene:
    """Return the scene that JSON data describe.

    A scene is ``{"name"?, "width"?, "height"?, "truth": [region...], "detections": [region...] |
    null, "regions"?: {id: region}}``; a region is ``{"points": [x1, y1, ...]}`` (or ``"poly": [[x,
    y], ...]``, ``"rect": [x1, y1, x2, y2]``, ``"mask": {"x", "y", "rows"}``) with ``"id", "text",
    "ignored", "confidence", "label", "region", "cell"`` if known. ``gt``, ``det`` and ``dont_care``
    may replace ``truth``, ``detections``, ``ignored``. ``place`` is the scene's name in messages.
    Raises SceneError if the data are not a scene; the message names the place inside it.
    """
    if not isinstance(given, Mapping):
        raise SceneError(f"{place}: expected an object")
    truth = given.get("truth", given.get("gt"))
    found = given.get("detections", given.get("det"))
    if not isinstance(truth, list) or not (found is None or isinstance(found, list)):
        raise SceneError(f'{place}: expected lists "truth" and "detections"')
    parents = given.get("regions") or {}
    if not isinstance(parents, Mapping):
        raise SceneError(f'{place}: expected "regions" as an object, id to region')
    return Scene(
        tuple(_region(region, f"{place}, truth {at}") for at, region in enumerate(truth)),
        None
        if found is None
        else tuple(_region(region, f"{place}, detection {at}") for at, region in enumerate(found)),
        str(given.get("name", "")),
        _size(given, "width", place),
        _size(given, "height", place),
        {str(tag): _region(region, f"{place}, region {tag}") for tag, region in parents.items()},
    )


def _size(given: Mapping[str, Any], side: str, place: str) -> float | None:
    value = given.get(side)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e9:
        raise SceneError(f'{place}: expected "{side}" above 0, got {value!r}')
    return float(value)


def _region(given: Any, place: str) -> Region:
    try:
        known = {name: given[name] for name in _PLAIN if given.get(name) is not None}
        if given.get("dont_care"):
            known["ignored"] = True
        if "cell" in known:
            first_row, first_column, last_row, last_column = map(int, known["cell"])
            known["cell"] = (first_row, first_column, last_row, last_column)
        for field, name in (("id", "id"), ("parent", "region")):
            if given.get(name) is not None:
                known[field] = str(given[name])
        _check_plain(known, place)
        return _shaped(given, known)
    except RegionError as refusal:
        raise SceneError(f"{place}: {refusal}") from refusal
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as fault:
        if isinstance(fault, SceneError):
            raise
        raise SceneError(
            f'{place}: expected "points" [x1, y1, ...], "poly" [[x1, y1], ...], "rect" [4 numbers] '
            'or "mask" {"x", "y", "rows"}'
        ) from fault


def _check_plain(known: Mapping[str, Any], place: str) -> None:
    for name in ("text", "label"):
        if not isinstance(known.get(name, ""), str):
            raise SceneError(f'{place}: expected "{name}" as text, got {known[name]!r}')
    confidence = known.get("confidence", 0.0)
    if isinstance(confidence, bool) or not isinstance(confidence, int | float):
        raise SceneError(f'{place}: expected "confidence" as a number, got {confidence!r}')
    if not -1e9 < confidence < 1e9:
        raise SceneError(f'{place}: expected a finite "confidence", got {confidence!r}')
    if not isinstance(known.get("ignored", False), bool):
        raise SceneError(f'{place}: expected "ignored" true or false, got {known["ignored"]!r}')


def _shaped(given: Mapping[str, Any], known: Mapping[str, Any]) -> Region:
    if "rect" in given:
        x1, y1, x2, y2 = map(float, given["rect"])
        return Region.from_box(min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2), **known)
    if "mask" in given:
        mask = given["mask"]
        return Region.from_mask(int(mask["x"]), int(mask["y"]), mask["rows"], **known)
    if "poly" in given:
        return Region(tuple(float(value) for x, y in given["poly"] for value in (x, y)), **known)
    return Region(tuple(map(float, given["points"])), **known)


def answer(scene: Scene, score: ImageScore) -> dict[str, Any]:
    """Return a score with its matches as JSON data; regions by their id, else their index."""

    def names(regions: Sequence[Region] | None, indices: Sequence[int]) -> list[str | int]:
        named = [(regions or ())[at].id for at in indices]
        return [at if name is None else name for at, name in zip(indices, named, strict=True)]

    return {
        "name": scene.name,
        "recall": score.recall,
        "precision": score.precision,
        "f_score": score.f_score,
        "indicators": dict(score.indicators),
        "matches": [
            {
                "truth": names(scene.truth, match.truth),
                "detections": names(scene.detections, match.detections),
                "kind": match.kind,
                "recall_credit": match.recall_credit,
                "precision_credit": match.precision_credit,
            }
            for match in score.matches
        ],
        "unmatched": [
            {
                "side": unmatched.side,
                "region": names(
                    scene.truth if unmatched.side == "truth" else scene.detections,
                    [unmatched.index],
                )[0],
                "reason": unmatched.reason,
            }
            for unmatched in score.unmatched
        ],
    }
