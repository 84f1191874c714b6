"""A standalone picture (SVG) of a scene and its matches under a protocol."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final, Literal

from .base import ImageScore, Match, Scene
from .regions import Region

Fate = Literal["matched", "unmatched", "ignored", "unnamed"]
# Left, top, right, bottom in the picture.
Box = tuple[float, float, float, float]

_WIDTH: Final = 720.0
_MARGIN: Final = 40.0
_HEADER: Final = 62.0
_MAX_HEIGHT: Final = 340.0
_FONT: Final = 12.0
_LABEL_HEIGHT: Final = 16.0
_LEGEND_ROW: Final = 22.0
_MAX_LABEL: Final = 24
# Smaller than this, as a share of the largest coordinate, a scene counts as a point.
_LEAST_EXTENT: Final = 1e-12
_TINY: Final = 1e-300
_HUGE: Final = 1e150
_INK: Final = "#1f2937"
_FAINT: Final = "#4b5563"
_LINK: Final = "#6d28d9"
_NOT_IN_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class _Look:
    """The style of regions with one outcome, and their name in the legend."""

    says: str
    colour: str
    dashes: str
    width: float
    tint: float


_LOOKS: Final[dict[tuple[str, Fate], _Look]] = {
    ("truth", "matched"): _Look("truth, matched", "#15803d", "", 4.0, 0.12),
    ("truth", "unmatched"): _Look("truth, missed", "#b45309", "10 5", 4.0, 0.10),
    ("truth", "ignored"): _Look("truth, ignored", "#6b7280", "2 4", 4.0, 0.10),
    ("truth", "unnamed"): _Look("truth", "#15803d", "", 4.0, 0.12),
    ("detection", "matched"): _Look("detection, matched", "#1d4ed8", "14 4", 2.0, 0.0),
    ("detection", "unmatched"): _Look("detection, false positive", "#be123c", "8 4 2 4", 2.0, 0.06),
    ("detection", "ignored"): _Look("detection, ignored", "#6b7280", "2 3 6 3", 2.0, 0.0),
    ("detection", "unnamed"): _Look("detection", "#1d4ed8", "14 4", 2.0, 0.0),
}


def draw_scene(scene: Scene, score: ImageScore, *, title: str) -> str:
    """Return an SVG picture of a scene: its regions by their match, and the credit of each match.

    Truths are tinted, detections are not; colour and dashes tell matched, unmatched and ignored
    ones apart. A match is a star of thin lines around a badge with its kind (unless one-to-one)
    and its credits. Regions are named by their ids, else T1, T2, ... and D1, D2, ... in order.
    Equal arguments give equal bytes. The SVG has no styles and no scripts, so a strict content
    security policy allows it, and all text is escaped.

    Parameters
    ----------
    scene : Scene
        Any size; if there are no regions, the picture says so. The lines of the ground truth are
        drawn if their shapes are given.
    score : ImageScore
        A protocol's score of this scene.
    title : str

    Examples
    --------
    >>> from protocols import registry
    >>> from protocols.core.regions import Region
    >>> scene = Scene((Region.from_box(0, 0, 100, 40),), ())
    >>> [score] = registry.get("iou").score([scene])
    >>> draw_scene(scene, score, title="a word")[:4]
    '<svg'
    """
    drawn = _Drawn(scene, score)
    height = _HEADER + drawn.height + _MARGIN + drawn.legend_height
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(_WIDTH)} {_n(height)}" '
        f'width="{_n(_WIDTH)}" height="{_n(height)}" role="img" font-family="sans-serif" '
        f'font-size="{_n(_FONT)}" fill="{_INK}">',
        f"<title>{_text(title)}</title>",
        f"<desc>{_text(_described(scene, score, drawn))}</desc>",
        f'<rect x="0.5" y="0.5" width="{_n(_WIDTH - 1)}" height="{_n(height - 1)}" rx="12" '
        'fill="#ffffff" stroke="#d1d5db"/>',
        f'<text x="20" y="26" font-size="16" font-weight="bold">{_text(_short(title, 80))}</text>',
        f'<text x="20" y="46" fill="{_FAINT}">{_figures(score)}</text>',
        *drawn.lines_of_text(),
        *drawn.shapes(),
        *drawn.links(),
        *drawn.labels(),
        *drawn.legend(height),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


class _Drawn:
    """The places of everything in the picture."""

    def __init__(self, scene: Scene, score: ImageScore) -> None:
        self._scene = scene
        self._score = score
        detections = scene.detections or ()
        self.names = {
            "truth": _names(scene.truth, "T"),
            "detection": _names(detections, "D"),
        }
        self._regions = {"truth": scene.truth, "detection": detections}
        self.fates = _fates(scene, score)
        self._place = _Placement([*scene.truth, *detections, *scene.parents.values()])
        self.height = self._place.height
        self._boxes = {
            (side, at): self._place.box(region)
            for side, regions in self._regions.items()
            for at, region in enumerate(regions)
        }
        self._taken: list[Box] = []
        self._badges = [self._badge(match) for match in score.matches]
        self._tags = [self._tag(side, at) for side, at in self._boxes]
        entries = list(self._legend_entries())
        self._legend_rows = [entries[at : at + 3] for at in range(0, len(entries), 3)]
        self.legend_height = _LEGEND_ROW * len(self._legend_rows) + 14.0

    def lines_of_text(self) -> Iterator[str]:
        """Yield the outlines of the lines of text, the upper level of the ground truth."""
        for region in self._scene.parents.values():
            yield (
                f'<path d="{self._place.path(region)}" fill="none" stroke="#9ca3af" '
                'stroke-dasharray="1 3"/>'
            )

    def shapes(self) -> Iterator[str]:
        for (side, at), fate in self.fates.items():
            look = _LOOKS[side, fate]
            region = self._regions[side][at]
            yield f'<path d="{self._place.path(region)}" {_attributes(look)}/>'

    def links(self) -> Iterator[str]:
        for match, (_, box) in zip(self._score.matches, self._badges, strict=True):
            x, y = _middle(box)
            for member in _members(match):
                to_x, to_y = _middle(self._boxes[member])
                yield (
                    f'<path d="M{_n(x)} {_n(y)}L{_n(to_x)} {_n(to_y)}" fill="none" '
                    f'stroke="{_LINK}"/>'
                )
                yield f'<circle cx="{_n(to_x)}" cy="{_n(to_y)}" r="3" fill="{_LINK}"/>'
        for text, box in self._badges:
            yield _sign(text, box, _LINK, radius=8.0)

    def labels(self) -> Iterator[str]:
        for (side, at), (text, box) in zip(self._boxes, self._tags, strict=True):
            yield _sign(text, box, _LOOKS[side, self.fates[side, at]].colour, radius=3.0)
        if not self._boxes:
            yield (
                f'<text x="{_n(_WIDTH / 2)}" y="{_n(_HEADER + self.height / 2)}" '
                f'text-anchor="middle" fill="{_FAINT}">no truths and no detections</text>'
            )

    def legend(self, height: float) -> Iterator[str]:
        top = height - self.legend_height
        yield f'<path d="M20 {_n(top)}H{_n(_WIDTH - 20)}" fill="none" stroke="#e5e7eb"/>'
        column = (_WIDTH - 40.0) / 3.0
        for row, entries in enumerate(self._legend_rows):
            middle = top + 7.0 + _LEGEND_ROW * (row + 0.5)
            for at, (says, look) in enumerate(entries):
                left = 20.0 + column * at
                if look is None:
                    yield _sign(
                        "R · P", (left, middle - 8.0, left + 32.0, middle + 8.0), _LINK, 8.0
                    )
                else:
                    yield (
                        f'<rect x="{_n(left)}" y="{_n(middle - 6)}" width="30" height="12" '
                        f"{_attributes(look)}/>"
                    )
                yield f'<text x="{_n(left + 38)}" y="{_n(middle + 4)}">{says}</text>'

    def _legend_entries(self) -> Iterator[tuple[str, _Look | None]]:
        occurring = {(side, fate) for (side, _), fate in self.fates.items()}
        for key, look in _LOOKS.items():
            if key in occurring:
                yield look.says, look
        if self._score.matches:
            yield "credits of a match", None

    def _badge(self, match: Match) -> tuple[str, Box]:
        text = f"R {_credit(match.recall_credit)} · P {_credit(match.precision_credit)}"
        if match.kind != "one-to-one":
            text = f"{match.kind}: {text}"
        middles = [_middle(self._boxes[member]) for member in _members(match)]
        x = sum(at for at, _ in middles) / len(middles)
        y = sum(at for _, at in middles) / len(middles)
        width = _text_width(text) + 14.0
        steps = [0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0]
        candidates = [
            _centred(x, y + step * (_LABEL_HEIGHT + 3.0), width, _LABEL_HEIGHT + 1.0)
            for step in steps
        ]
        return text, self._settle(candidates, [])

    def _tag(self, side: str, at: int) -> tuple[str, Box]:
        region = self._regions[side][at]
        text = self.names[side][at]
        if region.text:
            text += f" “{_short(region.text, _MAX_LABEL)}”"
        if region.confidence is not None:
            text += f" {region.confidence:.4g}"
        width, gap = _text_width(text) + 8.0, 3.0
        left, top, right, bottom = self._boxes[side, at]
        above, below = top - gap - _LABEL_HEIGHT, bottom + gap
        corners = [
            (left, above),
            (right - width, above),
            (left, below),
            (right - width, below),
            (left + gap, top + gap),
            (right - gap - width, top + gap),
            (right - gap - width, bottom - gap - _LABEL_HEIGHT),
            (left + gap, bottom - gap - _LABEL_HEIGHT),
            (right + gap, (top + bottom - _LABEL_HEIGHT) / 2.0),
            (left - gap - width, (top + bottom - _LABEL_HEIGHT) / 2.0),
            ((left + right - width) / 2.0, above),
            ((left + right - width) / 2.0, below),
        ]
        if side == "detection":
            corners[:4] = corners[3::-1]
            corners[4:8] = corners[6:8] + corners[4:6]
        candidates = [(x, y, x + width, y + _LABEL_HEIGHT) for x, y in corners]
        edges = [
            edge
            for member, box in self._boxes.items()
            for edge in _edges(box)
            if member != (side, at)
        ]
        return text, self._settle(candidates, edges)

    def _settle(self, candidates: Sequence[Box], edges: Sequence[Box]) -> Box:
        """Return the candidate that hides least, with a preference for early ones; reserve it."""
        moved = [
            _inside(box, _HEADER - 6.0, _HEADER + self.height + _MARGIN - 4.0) for box in candidates
        ]

        def hidden(at: int) -> float:
            signs = sum(_shared(moved[at], box) for box in self._taken)
            lines = sum(_shared(moved[at], edge) for edge in edges)
            return 10.0 * signs + lines + 4.0 * at

        best = moved[min(range(len(moved)), key=hidden)]
        self._taken.append(best)
        return best


class _Placement:
    """Mapping from the pixels of a scene to the picture, scaled so that all regions just fit."""

    def __init__(self, regions: Sequence[Region]) -> None:
        xs = [x for region in regions for x in region.points[::2]] or [0.0]
        ys = [y for region in regions for y in region.points[1::2]] or [0.0]
        largest = max(*map(abs, xs), *map(abs, ys))
        # Scales coordinates down if differences of the largest numbers would overflow.
        self._unit = 1.0 if largest < _HUGE else _HUGE
        self._left, self._top = min(xs) / self._unit, min(ys) / self._unit
        width = max(xs) / self._unit - self._left
        height = max(ys) / self._unit - self._top
        room = _WIDTH - 2.0 * _MARGIN
        least = max(_LEAST_EXTENT * largest / self._unit, _TINY)
        self._scale = min(room / max(width, least), _MAX_HEIGHT / max(height, least))
        drawn = height * self._scale
        self.height = max(drawn, 60.0)
        self._x = _MARGIN + (room - width * self._scale) / 2.0
        self._y = _HEADER + 14.0 + (self.height - drawn) / 2.0

    def point(self, x: float, y: float) -> tuple[float, float]:
        return (
            self._x + (x / self._unit - self._left) * self._scale,
            self._y + (y / self._unit - self._top) * self._scale,
        )

    def box(self, region: Region) -> Box:
        left, top, right, bottom = region.box
        return (*self.point(left, top), *self.point(right, bottom))

    def path(self, region: Region) -> str:
        if region.pixels is None:
            return self._ring(region.points)
        return "".join(
            self._ring((start, row, end, row, end, row + 1, start, row + 1))
            for row, start, end in region.pixels
        )

    def _ring(self, points: Sequence[float]) -> str:
        placed = [self.point(x, y) for x, y in zip(points[::2], points[1::2], strict=True)]
        return "M" + "L".join(f"{_n(x)} {_n(y)}" for x, y in placed) + "Z"


def _fates(scene: Scene, score: ImageScore) -> dict[tuple[str, int], Fate]:
    fates: dict[tuple[str, int], Fate] = {}
    for side, regions in (("truth", scene.truth), ("detection", scene.detections or ())):
        for at, region in enumerate(regions):
            ignored = side == "truth" and region.ignored
            fates[side, at] = "ignored" if ignored else "unnamed"
    for unmatched in score.unmatched:
        # A region without area is left out of all counts, like an ignored one.
        fates[unmatched.side, unmatched.index] = "ignored" if unmatched.is_out else "unmatched"
    for match in score.matches:
        fates.update(dict.fromkeys(_members(match), "matched"))
    return fates


def _members(match: Match) -> list[tuple[str, int]]:
    return [("truth", at) for at in match.truth] + [("detection", at) for at in match.detections]


def _described(scene: Scene, score: ImageScore, drawn: _Drawn) -> str:
    """Return a description of the picture."""
    n_truth, n_detections = len(scene.truth), len(scene.detections or ())
    said = [f"{_counted(n_truth, 'truth')}, {_counted(n_detections, 'detection')}."]
    for match in score.matches:
        together = ", ".join(drawn.names[side][at] for side, at in _members(match))
        said.append(
            f"{together}: {match.kind}, recall credit {_credit(match.recall_credit)}, "
            f"precision credit {_credit(match.precision_credit)}."
        )
    for unmatched in score.unmatched:
        name = drawn.names[unmatched.side][unmatched.index]
        said.append(f"{name}: {unmatched.reason}.")
    said.append(f"{_figures(score)}.")
    return " ".join(said)


def _counted(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _figures(score: ImageScore) -> str:
    values = (("R", score.recall), ("P", score.precision), ("F", score.f_score))
    return ", ".join(
        f"{name} undefined" if value is None else f"{name} = {value:.4f}" for name, value in values
    )


def _credit(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".")


def _names(regions: Sequence[Region], letter: str) -> list[str]:
    return [
        _short(region.id or "", _MAX_LABEL) or f"{letter}{at}"
        for at, region in enumerate(regions, 1)
    ]


def _short(text: str, most: int) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= most else plain[: most - 1] + "…"


def _attributes(look: _Look) -> str:
    fill = f'fill="{look.colour}" fill-opacity="{_n(look.tint)}"' if look.tint else 'fill="none"'
    dashes = f' stroke-dasharray="{look.dashes}"' if look.dashes else ""
    return f'{fill} stroke="{look.colour}" stroke-width="{_n(look.width)}"{dashes}'


def _sign(text: str, box: Box, colour: str, radius: float) -> str:
    left, top, right, bottom = box
    x, y = _middle(box)
    return (
        f'<rect x="{_n(left)}" y="{_n(top)}" width="{_n(right - left)}" '
        f'height="{_n(bottom - top)}" rx="{_n(radius)}" fill="#ffffff" stroke="{escape(colour)}"/>'
        f'<text x="{_n(x)}" y="{_n(y + 4)}" text-anchor="middle" fill="{escape(colour)}">'
        f"{_text(text)}</text>"
    )


def _text(text: str) -> str:
    return escape(_NOT_IN_XML.sub("\ufffd", text), quote=False)


def _n(value: float) -> str:
    """Return a number with at most two decimals."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _text_width(text: str) -> float:
    # Letters of wide scripts take a whole square, others a little more than half of one.
    return sum(_FONT if ord(letter) > 0x2E7F else 0.58 * _FONT for letter in text)


def _middle(box: Box) -> tuple[float, float]:
    left, top, right, bottom = box
    return (left + right) / 2.0, (top + bottom) / 2.0


def _centred(x: float, y: float, width: float, height: float) -> Box:
    return x - width / 2.0, y - height / 2.0, x + width / 2.0, y + height / 2.0


def _inside(box: Box, top: float, bottom: float) -> Box:
    """Return a box shifted into the picture."""
    x = max(6.0 - box[0], 0.0) + min(_WIDTH - 6.0 - box[2], 0.0)
    y = max(top - box[1], 0.0) + min(bottom - box[3], 0.0)
    return box[0] + x, box[1] + y, box[2] + x, box[3] + y


def _edges(box: Box) -> list[Box]:
    left, top, right, bottom = box
    return [
        (left - 1.0, top - 1.0, right + 1.0, top + 1.0),
        (left - 1.0, bottom - 1.0, right + 1.0, bottom + 1.0),
        (left - 1.0, top, left + 1.0, bottom),
        (right - 1.0, top, right + 1.0, bottom),
    ]


def _shared(a: Box, b: Box) -> float:
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    return max(width, 0.0) * max(height, 0.0)
