"""The pictures that a judge gets: what people see of two results, drawn with Pillow."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from time import time
from typing import Final

from PIL import Image as Picture

from annotate.datasets.drawing import drawn, room_around
from annotate.datasets.models import Image, Result, image_storage, stored_path
from annotate.datasets.thumbnails import kept, reduced
from annotate.studies.models import Study
from protocols.core.geometry import ious
from protocols.core.regions import Region

from .outlines import Point, draw_outlines, points_of, tokens
from .tasks import Task

N_CROPS: Final = 6
PARTS: Final = ("plain", "left", "right", "both", *(f"crop-{n + 1}" for n in range(N_CROPS)))
# The longer side of a picture that a page shows in small, in pixels.
SMALL: Final = 256
FOLDER: Final = "judged"
# Raised when other pixels are drawn for the same data.
_VERSION: Final = 1
_GAP: Final = 16
# Around a photograph, for the outlines of boxes at its edge, as on the page.
_MARGIN: Final = 3
# Of the size of a place, on each side of a crop.
_AROUND: Final = 0.25
_LARGEST: Final = 4.0
_KEPT_SECONDS: Final = 7 * 24 * 3600
_WHITE: Final = (255, 255, 255)
# Left, top, right, bottom in image pixels.
Frame = tuple[float, float, float, float]


@dataclass(frozen=True)
class Pair:
    """Two results of an image; a picture of them does not depend on the judge."""

    study: Study
    image: Image
    left: Result
    right: Result

    @cached_property
    def polygons(self) -> dict[str, list[str]]:
        convention = self.image.dataset.box_convention
        return {
            side: drawn(result.detections, convention)
            for side, result in (("left", self.left), ("right", self.right))
        }

    @cached_property
    def _regions(self) -> list[Region]:
        """The boxes of all results of the image, which have the same room."""
        results = Result.objects.filter(image=self.image, method__studies=self.study)
        return [region for result in results for region in result.detections]

    @cached_property
    def size(self) -> tuple[int, int]:
        return self.image.size_to_draw(self._regions)

    @cached_property
    def frame(self) -> Frame:
        """The photograph with the room for boxes beyond its edges."""
        (width, height), (x, y) = self.size, room_around(self.size, self._regions)
        return -x, -y, width + x, height + y

    @cached_property
    def places(self) -> list[Frame]:
        """The places in which the results differ, as *Next difference* has them, largest first."""
        shapes = {
            side: [
                Region(tuple(value for point in points_of(polygon) for value in point))
                for polygon in polygons
            ]
            for side, polygons in self.polygons.items()
        }
        twins = _twins(shapes["left"], shapes["right"], self.study.twin_iou)
        alone = [
            region.box
            for side, taken in zip(("left", "right"), twins, strict=True)
            for at, region in enumerate(shapes[side])
            if at not in taken
        ]
        return sorted(_joined(alone), key=lambda frame: (-_area(frame), frame))

    @property
    def parts(self) -> list[str]:
        """The names of the pictures that there are."""
        return [*PARTS[:4], *(f"crop-{n + 1}" for n in range(min(len(self.places), N_CROPS)))]


def _twins(
    left: Sequence[Region], right: Sequence[Region], least: float
) -> tuple[set[int], set[int]]:
    near = [(-iou, one, other) for one, other, iou in ious(left, right) if iou >= least - 1e-9]
    ones: set[int] = set()
    others: set[int] = set()
    for _, one, other in sorted(near):
        if one not in ones and other not in others:
            ones.add(one)
            others.add(other)
    return ones, others


def _joined(boxes: Sequence[Frame]) -> list[Frame]:
    """Join boxes if half of one is inside another."""
    places: list[Frame] = []
    for box in boxes:
        frame = box
        while (other := next((one for one in places if _is_within(frame, one)), None)) is not None:
            places.remove(other)
            frame = (
                *map(min, zip(frame[:2], other[:2], strict=True)),
                *map(max, zip(frame[2:], other[2:], strict=True)),
            )  # type: ignore[assignment]  # two and two
        places.append(frame)
    return places


def _area(frame: Frame) -> float:
    return (frame[2] - frame[0]) * (frame[3] - frame[1])


def _is_within(one: Frame, other: Frame) -> bool:
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return width > 0 and height > 0 and width * height >= min(_area(one), _area(other)) / 2


def picture_of(study: Study, task: Task, part: str, max_side: int) -> bytes | None:
    """Return a part of a task's pictures; None if the pair has no such part."""
    results = Result.objects.select_related("image__dataset").in_bulk([task.left, task.right])
    left, right = results[task.left], results[task.right]
    return picture(Pair(study, left.image, left, right), part, max_side)


def picture(pair: Pair, part: str, max_side: int) -> bytes | None:
    """Return a part as PNG, made once; None if the pair has no such part.

    ``max_side`` is the longer side of a panel without its margin of 3 pixels; only crops are enlarged.
    """
    if part.startswith("crop-") and part not in pair.parts:
        return None
    of_pair = (_VERSION, pair.image.sha256, pair.frame, pair.polygons, pair.study.twin_iou)
    named = sha256(repr((*of_pair, part, max_side)).encode()).hexdigest()
    return kept(f"{FOLDER}/{named}.png", lambda: _made(pair, part, max_side))


def _made(pair: Pair, part: str, max_side: int) -> bytes:
    frame, most, sides = pair.frame, 1.0, ["left", "right"]
    if part.startswith("crop-"):
        left, top, right, bottom = pair.places[int(part.removeprefix("crop-")) - 1]
        x, y = _AROUND * (right - left), _AROUND * (bottom - top)
        frame, most = (left - x, top - y, right + x, bottom + y), _LARGEST
    elif part != "both":
        sides = [part]
    longer = max(frame[2] - frame[0], frame[3] - frame[1])
    scale = min(max_side / longer, most)
    panels = [
        _panel(pair, frame, scale, pair.polygons.get(side, []), with_margin=most == 1)
        for side in sides
    ]
    width, height = panels[0].size
    whole = Picture.new("RGB", (len(panels) * (width + _GAP) - _GAP, height), _WHITE)
    for at, panel in enumerate(panels):
        whole.paste(panel, (at * (width + _GAP), 0))
    out = io.BytesIO()
    whole.save(out, "PNG")
    return out.getvalue()


def _panel(
    pair: Pair, frame: Frame, scale: float, polygons: Sequence[str], *, with_margin: bool
) -> Picture.Image:
    margin = _MARGIN if with_margin else 0
    width, height = (
        max(round((high - low) * scale), 1) + 2 * margin for low, high in (frame[::2], frame[1::2])
    )
    has_photograph = bool(pair.image.sha256)
    ground = tokens()["surround"] if has_photograph else _WHITE
    panel = Picture.new("RGB", (width, height), ground)
    origin: Point = (margin - frame[0] * scale, margin - frame[1] * scale)
    if has_photograph:
        _paste_photograph(panel, pair, scale, origin)
    draw_outlines(panel, polygons, scale, origin)
    return panel


def _paste_photograph(panel: Picture.Image, pair: Pair, scale: float, origin: Point) -> None:
    width, height = pair.size
    wanted = max(round(width * scale), 1), max(round(height * scale), 1)
    path = stored_path(pair.image.sha256)
    if scale <= 1:
        shown = reduced(path, wanted)
        if shown.size != wanted:
            shown = shown.resize(wanted)
        panel.paste(shown, (round(origin[0]), round(origin[1])))
        return
    # Only what is seen is enlarged.
    full = reduced(path, (width, height))
    left, top = (-origin[0] / scale, -origin[1] / scale)
    box = (left, top, left + panel.width / scale, top + panel.height / scale)
    seen = (max(box[0], 0), max(box[1], 0), min(box[2], width), min(box[3], height))
    size = round((seen[2] - seen[0]) * scale), round((seen[3] - seen[1]) * scale)
    if min(size) > 0:
        part = full.resize(size, Picture.Resampling.BICUBIC, box=seen)
        panel.paste(part, (round((seen[0] - left) * scale), round((seen[1] - top) * scale)))


def sweep() -> int:
    """Delete pictures unused for a week and return how many."""
    oldest = time() - _KEPT_SECONDS
    old = [
        path
        for path in Path(image_storage().path(FOLDER)).glob("*")
        if path.stat().st_mtime < oldest
    ]
    for path in old:
        path.unlink(missing_ok=True)
    return len(old)
