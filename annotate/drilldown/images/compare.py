"""Two methods on one image with ground truth, and a protocol's matches of their regions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from annotate.datasets.drawing import Picture, counted_boxes, polygon_points
from annotate.datasets.models import Image, Method, Result
from annotate.scoring.models import ProtocolRun
from protocols import registry
from protocols.core.base import ImageScore, Match, Protocol, Scene
from protocols.core.causes import Cost, Losses, costs, losses
from protocols.core.errors import ProtocolError
from protocols.core.fitting import lacking

_UNMATCHED, _IGNORED = "unmatched", "ignored"


@dataclass(frozen=True, slots=True)
class Line:
    """Regions that a protocol matched, or one unmatched region."""

    regions: str
    kind: str
    recall_credit: float | None = None
    precision_credit: float | None = None
    cause: str = ""


@dataclass(frozen=True, slots=True)
class Side:
    """One method for the viewer; ``polygons`` are pairs (points, fate)."""

    side: str
    method: Method
    polygons: Sequence[tuple[str, str]]
    truth_fates: Sequence[str]
    score: ImageScore | None = None
    matches: Sequence[Line] = ()
    unmatched: Sequence[Line] = ()
    # Causes that occur; empty if the protocol has none.
    costs: Sequence[Cost] = ()

    @property
    def label(self) -> str:
        return f"{self.method.name}, {counted_boxes(len(self.polygons)).lower()}"


def matching_protocols(
    image: Image, results: Sequence[Result], runs: Sequence[ProtocolRun]
) -> dict[str, Protocol]:
    """Return, by name, the protocols that report matches on this image.

    These are the current protocols, and those of computed runs by the names of the runs; if a run
    has the name of a current protocol, the run's is returned.
    """
    detections = [region for result in results for region in result.detections]
    usable = {
        protocol.slug: protocol
        for protocol in registry.all_protocols()
        if protocol.has_matches
        and protocol.needs != "several methods"
        and not lacking(protocol, image.truth_regions, detections, len(results))
    }
    choices = {protocol.name: protocol for protocol in usable.values()}
    for run in runs:
        if run.origin == ProtocolRun.Origin.COMPUTED and run.protocol in usable:
            try:
                choices[run.name] = registry.get(run.protocol, run.parameters)
            except ProtocolError:  # stored by a version with other parameters
                continue
    return dict(sorted(choices.items()))


def side_of(side: str, result: Result, image: Image, protocol: Protocol | None) -> Side:
    """Return one side of the viewer. Raises ProtocolError if the protocol refuses the regions."""
    convention = image.dataset.box_convention
    detections = result.detections if result.had_file else None
    scene = Scene(image.truth_regions, detections, image.name, image.width, image.height)
    score = protocol.score([scene])[0] if protocol else None
    fates = _fates("detection", score, len(result.detections))
    points = [polygon_points(region, convention) for region in result.detections]
    of_truth = _fates("truth", score, len(image.truth_regions))
    lost = _lost(protocol, scene, score)
    cause_of: dict[tuple[str, int], str] = (
        {(loss.side, loss.index): loss.cause for loss in lost.regions} if lost else {}
    )
    return Side(
        side,
        result.method,
        list(zip(points, fates, strict=True)),
        [
            fate
            for fate, region in zip(of_truth, image.truth_regions, strict=True)
            if not region.ignored
        ],
        score,
        [_line(match, image, result, cause_of) for match in score.matches] if score else (),
        [
            Line(
                _named(region.side, region.index, image, result),
                region.reason,
                cause=cause_of.get((region.side, region.index), ""),
            )
            for region in (score.unmatched if score else ())
        ],
        [cost for cost in costs(lost) if cost.n_truth or cost.n_detections] if lost else (),
    )


def _lost(protocol: Protocol | None, scene: Scene, score: ImageScore | None) -> Losses | None:
    if protocol is None or score is None or not protocol.has_causes:
        return None
    return losses(protocol, [scene], [score])[0]


def _fates(side: str, score: ImageScore | None, n: int) -> list[str]:
    if score is None:
        return [""] * n
    fates = [_UNMATCHED] * n
    for unmatched in score.unmatched:
        if unmatched.side == side and unmatched.is_out:
            fates[unmatched.index] = _IGNORED
    for match in score.matches:
        for at in match.truth if side == "truth" else match.detections:
            fates[at] = "matched" if match.kind == "one-to-one" else "part"
    return fates


def _line(
    match: Match, image: Image, result: Result, cause_of: Mapping[tuple[str, int], str]
) -> Line:
    members: list[tuple[str, int]] = [("truth", at) for at in match.truth]
    members += [("detection", at) for at in match.detections]
    return Line(
        ", ".join(_named(side, at, image, result) for side, at in members),
        match.kind,
        match.recall_credit,
        match.precision_credit,
        ", ".join(dict.fromkeys(cause_of[of] for of in members if of in cause_of)),
    )


def _named(side: str, at: int, image: Image, result: Result) -> str:
    region = (image.truth_regions if side == "truth" else result.detections)[at]
    if region.text:
        words = _("truth {n} “{text}”") if side == "truth" else _("detection {n} “{text}”")
    else:
        words = _("truth {n}") if side == "truth" else _("detection {n}")
    return words.format(n=at + 1, text=region.text)


def payload(
    image: Image, picture: Picture, sides: Sequence[Side], protocol_name: str
) -> Mapping[str, Any]:
    """Return the input of the viewer's script, in the comparison page's format, with names."""
    by_name = {side.method.slug: side for side in sides}
    has_matches = all(side.score is not None for side in sides)
    return {
        "screen": {"id": "-".join(side.method.slug for side in sides)},
        "study": {"settings": {"ground_truth": "request", "match_colours": protocol_name}},
        "image": {
            "key": image.name,
            "url": picture.url or None,
            "width": picture.width,
            "height": picture.height,
            "results": {
                name: {"polygons": [points for points, _ in side.polygons], "label": side.label}
                for name, side in by_name.items()
            },
            "truth": {"polygons": list(picture.truth), "ignored": list(picture.ignored)},
            "matches": {
                name: {
                    "detections": [fate for _, fate in side.polygons],
                    "truth": list(side.truth_fates),
                }
                for name, side in by_name.items()
            }
            if has_matches
            else None,
        },
        "left": sides[0].method.slug,
        "right": sides[1].method.slug,
    }
