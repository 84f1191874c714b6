"""Drawings of the playground: checks, links, changes box by box, and scores by every protocol."""

import json
import logging
import math
import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext as _

from annotate.errors import Refusal
from protocols import registry
from protocols.core.base import ImageScore, Protocol, Scene
from protocols.core.crowding import require_feasible
from protocols.core.errors import ProtocolError
from protocols.formats.readers.scenes import answer, read_scene
from protocols.signatures import DATA, signature

from .services import MAX_WORK_OF_REQUEST

WIDTH: Final = 1000
HEIGHT: Final = 600
MIN_SIDE: Final = 4
MAX_BOXES: Final = 60
MAX_TEXT: Final = 40
MAX_LINE: Final = 99
# Longer than the longest texts on as many boxes as there may be.
_MAX_LINK: Final = 64 * 1024
_VERSION: Final = "1"
_SIDES: Final = {"t": "truth", "d": "detections"}
_LINK_PART: Final = re.compile(
    r"(?P<side>[td])(?P<rect>\d{1,4}(?:\.\d{1,4}){3})"
    r"(?:~w(?P<text>(?:[A-Za-z0-9]|-[0-9A-F]{2})+))?(?:~l(?P<line>\d{1,2}))?(?P<ignored>~i)?"
    r"(?:~c(?P<confidence>\d{1,3}))?"
)
_PLAIN: Final = re.compile(r"[A-Za-z0-9]")
_DAMAGED: Final = gettext_lazy("The scene in this link is truncated or damaged.")

_log = logging.getLogger(__name__)


class NotAScene(Refusal):
    """Refusal of data that are not a scene of the playground; the message says why."""


@dataclass(frozen=True, slots=True)
class Box:
    """One region on the stage, in whole units; fields that only the other side has stay unset."""

    left: int
    top: int
    right: int
    bottom: int
    text: str = ""
    # The line of a word, 0 for none.
    line: int = 0
    ignored: bool = False
    # In hundredths.
    confidence: int | None = None

    def __post_init__(self) -> None:
        within = min(self.left, self.top) >= 0 and self.right <= WIDTH and self.bottom <= HEIGHT
        if not within:
            raise NotAScene(
                _("A box must lie within 0 to {width} across and 0 to {height} down.").format(
                    width=WIDTH, height=HEIGHT
                )
            )
        if self.width < MIN_SIDE or self.height < MIN_SIDE:
            raise NotAScene(
                _("A box must be at least {min_side} wide and {min_side} high.").format(
                    min_side=MIN_SIDE
                )
            )
        hidden = any(unicodedata.category(letter) in ("Cc", "Cs") for letter in self.text)
        if len(self.text) > MAX_TEXT or hidden:
            raise NotAScene(
                _("A text has at most {max_text} characters and one line.").format(
                    max_text=MAX_TEXT
                )
            )
        if not 0 <= self.line <= MAX_LINE:
            raise NotAScene(
                _("A line is a number from 1 to {max_line}, or 0 for none.").format(
                    max_line=MAX_LINE
                )
            )
        if self.confidence is not None and not 0 <= self.confidence <= 100:
            raise NotAScene(_("A confidence is a number from 0 to 1."))

    @property
    def width(self) -> int:
        return self.right - self.left

    @property
    def height(self) -> int:
        return self.bottom - self.top


@dataclass(frozen=True, slots=True)
class Drawing:
    """The truths and detections on the stage."""

    truth: tuple[Box, ...] = ()
    detections: tuple[Box, ...] = ()

    def __post_init__(self) -> None:
        if max(len(self.truth), len(self.detections)) > MAX_BOXES:
            raise NotAScene(
                _(
                    "The playground takes at most {max_boxes} truths and {max_boxes} detections."
                ).format(max_boxes=MAX_BOXES)
            )

    def scene(self) -> Scene:
        """Return the drawing as the protocols read it."""
        return read_scene(self.data(), "scene")

    def data(self) -> dict[str, Any]:
        return {
            "width": WIDTH,
            "height": HEIGHT,
            "truth": [_data(box) for box in self.truth],
            "detections": [_data(box) for box in self.detections],
        }


def _data(box: Box) -> dict[str, Any]:
    data: dict[str, Any] = {"rect": [box.left, box.top, box.right, box.bottom]}
    if box.text:
        data["text"] = box.text
    if box.line:
        data["region"] = str(box.line)
    if box.ignored:
        data["ignored"] = True
    if box.confidence is not None:
        data["confidence"] = box.confidence / 100
    return data


# The link


def to_link(drawing: Drawing) -> str:
    """Return the drawing as text that needs no escaping in an address.

    ``1_t10.10.110.50~wword~l1~i_d10.10.110.50~c90``: the version, then each box with its side and
    left, top, right, bottom; ``~w`` text (other bytes than letters and digits of ASCII as -HH),
    ``~l`` line, ``~i`` ignored, ``~c`` confidence in hundredths.
    """
    parts = [_VERSION]
    for side, boxes in (("t", drawing.truth), ("d", drawing.detections)):
        parts += [side + _link_part(box) for box in boxes]
    return "_".join(parts)


def _link_part(box: Box) -> str:
    part = f"{box.left}.{box.top}.{box.right}.{box.bottom}"
    if box.text:
        part += "~w" + "".join(
            chr(byte) if _PLAIN.fullmatch(chr(byte)) else f"-{byte:02X}"
            for byte in box.text.encode()
        )
    if box.line:
        part += f"~l{box.line}"
    if box.ignored:
        part += "~i"
    if box.confidence is not None:
        part += f"~c{box.confidence}"
    return part


def from_link(text: str) -> Drawing:
    """Return the drawing of a link.

    Raises NotAScene if it was cut, changed, or written by another version.
    """
    version, *parts = text.split("_")
    if len(text) > _MAX_LINK or version != _VERSION:
        raise NotAScene(_("This link contains no scene that this page can read."))
    boxes: dict[str, list[Box]] = {"truth": [], "detections": []}
    for part in parts:
        match = _LINK_PART.fullmatch(part)
        if match is None or not part.isascii():
            raise NotAScene(_DAMAGED)
        boxes[_SIDES[match["side"]]].append(_linked(match))
    return Drawing(tuple(boxes["truth"]), tuple(boxes["detections"]))


def _linked(match: re.Match[str]) -> Box:
    of_other_side = ("confidence",) if match["side"] == "t" else ("line", "ignored")
    if any(match[name] for name in of_other_side):
        raise NotAScene(_DAMAGED)
    try:
        text = re.sub(
            rb"-(..)", lambda code: bytes.fromhex(code[1].decode()), (match["text"] or "").encode()
        ).decode()
    except UnicodeDecodeError as fault:
        raise NotAScene(_DAMAGED) from fault
    left, top, right, bottom = map(int, match["rect"].split("."))
    return Box(
        left,
        top,
        right,
        bottom,
        text=text,
        line=int(match["line"] or 0),
        ignored=bool(match["ignored"]),
        confidence=int(match["confidence"]) if match["confidence"] else None,
    )


# Steps of the form next to the stage


def add_box(drawing: Drawing, side: str) -> tuple[Drawing, str]:
    """Return the drawing with one more box, and the box's name."""
    boxes = getattr(drawing, side)
    step = 24 * (len(boxes) % 12)
    box = Box(400 + step, 250 + step // 2, 560 + step, 310 + step // 2)
    return replace(drawing, **{side: (*boxes, box)}), f"{side[0]}{len(boxes)}"


def change_box(drawing: Drawing, name: str, box: Box | None) -> Drawing:
    """Return the drawing with another box in the place of the named one, or without it."""
    side, at = place_of(drawing, name)
    boxes = list(getattr(drawing, side))
    boxes[at : at + 1] = [] if box is None else [box]
    return replace(drawing, **{side: tuple(boxes)})


def place_of(drawing: Drawing, name: str) -> tuple[str, int]:
    """Return the side and the index of a box by its name (t0, d3); raises NotAScene."""
    if re.fullmatch(r"[td][0-9]{1,2}", name):
        side, at = _SIDES[name[0]], int(name[1:])
        if at < len(getattr(drawing, side)):
            return side, at
    raise NotAScene(_("Choose a box of the scene first."))


# The scores


# Needs of protocols that a drawing of words cannot meet, and the reasons to show.
_NOT_HERE: Final = {
    "several methods": gettext_lazy(
        "it compares the results of several methods, and there is only one here"
    ),
    "cells": gettext_lazy("it needs tables with cells"),
}


def score_drawing(drawing: Drawing, only: str | None = None) -> list[dict[str, Any]]:
    """Return the scores of a drawing by each protocol (or one of them) as JSON-able data.

    If a protocol refuses the scene, its scores are None and ``error`` is the reason. ``status``
    gives for each truth and detection the kind of its match, "unmatched", "ignored", or "unknown"
    where the protocol names no matches.
    """
    protocols = [registry.get(only)] if only else registry.all_protocols()
    scene = drawing.scene()
    return [_said(protocol, scene) for protocol in protocols]


def _said(protocol: Protocol, scene: Scene) -> dict[str, Any]:
    head = {"slug": protocol.slug, "name": protocol.name}
    if protocol.needs in _NOT_HERE:
        return head | _undefined(scene, str(_NOT_HERE[protocol.needs]))
    try:
        require_feasible([scene], MAX_WORK_OF_REQUEST)
        (score,) = protocol.score([scene])
    except ProtocolError as refusal:
        return head | _undefined(scene, str(refusal))
    except Exception:
        # One protocol's fault must not take the others' scores away.
        _log.exception("%s failed on a scene of the playground", protocol.slug)
        return head | _undefined(scene, _("it could not be computed for this scene"))
    said = answer(scene, score) | head
    for name in ("recall", "precision", "f_score"):
        said[name] = _finite(said[name])
    for left in said["unmatched"]:
        reason = left["reason"]
        left["reason"] = gettext(reason)
    said["indicators"] = {name: _finite(value) for name, value in score.indicators.items()}
    signed = signature(protocol, DATA, DATA, 1)
    return said | {"status": _status(scene, score), "signature": signed}


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _undefined(scene: Scene, reason: str) -> dict[str, Any]:
    return {
        "recall": None,
        "precision": None,
        "f_score": None,
        "indicators": {},
        "matches": [],
        "unmatched": [],
        "status": _status(scene, None),
        "error": reason,
    }


def _status(scene: Scene, score: ImageScore | None) -> dict[str, list[str]]:
    """Return the kind of each region's matches by side; "unknown" without a score."""
    n_of = {"truth": len(scene.truth), "detections": len(scene.detections or ())}
    kinds: dict[str, list[set[str]]] = {side: [set() for _ in range(n)] for side, n in n_of.items()}
    for match in score.matches if score else ():
        for side in kinds:
            for at in getattr(match, side):
                kinds[side][at].add(match.kind)
    for unmatched in score.unmatched if score else ():
        own = kinds["truth" if unmatched.side == "truth" else "detections"][unmatched.index]
        if not own:
            own.add("ignored" if unmatched.is_out else "unmatched")
    for region, own in zip(scene.truth, kinds["truth"], strict=True):
        if region.ignored:
            own.clear()
            own.add("ignored")
    return {side: list(map(_kind, of_side)) for side, of_side in kinds.items()}


def _kind(kinds: Collection[str]) -> str:
    """Return the kind of a region's matches; several kinds are many-to-many."""
    if not kinds:
        return "unknown"
    return min(kinds) if len(kinds) == 1 else "many-to-many"


@dataclass(frozen=True, slots=True)
class Preset:
    """A scene; its English ``name`` and ``says`` are translated where they are shown."""

    slug: str
    name: str
    says: str
    drawing: Drawing


def _preset(row: Mapping[str, Any]) -> Preset:
    drawing = Drawing(*(tuple(map(_box, row[side])) for side in ("truth", "detections")))
    return Preset(row["slug"], row["name"], row["says"], drawing)


def _box(data: Mapping[str, Any]) -> Box:
    """Return the box of data as ``Drawing.data`` has it."""
    left, top, right, bottom = data["rect"]
    line, ignored = int(data.get("region", 0)), data.get("ignored", False)
    sure = round(100 * data["confidence"]) if "confidence" in data else None
    return Box(left, top, right, bottom, data.get("text", ""), line, ignored, sure)


_LISTED: Final = json.loads(Path(__file__).with_name("presets.json").read_text(encoding="utf-8"))
PRESETS: Final[Mapping[str, Preset]] = {row["slug"]: _preset(row) for row in _LISTED}
DEFAULT: Final = next(iter(PRESETS.values()))
