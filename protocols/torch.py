"""Protocols as metrics of a training loop: update, compute, reset, and correct sums over processes.

A metric is a ``torchmetrics.Metric`` if torchmetrics is installed. Otherwise torch is not imported:
tensors are read as numbers, and processes communicate through what the caller has set up.
"""

import json
import math
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, Self

from . import registry
from .arrays import SHARES, Outlines, plain_values
from .core.base import ImageScore, Protocol, Scene, Tally, official
from .core.errors import DataWarning, ProtocolError, RegionError
from .core.fitting import Held, lacking_of, one_sided
from .core.regions import Region, decode_regions, encode_regions


class _Plain:
    """The parts of ``torchmetrics.Metric`` that need no torch."""

    seen: Any
    device = "cpu"
    update_called = True

    def __init__(self, **_: Any) -> None:
        pass

    def add_state(self, name: str, default: list[bytes], **_: Any) -> None:
        setattr(self, name, default)

    def reset(self) -> None:
        self.seen = []

    def clone(self) -> Self:
        return deepcopy(self)

    def __call__(self, *batch: Any, **more: Any) -> Any:
        """Take a batch, and return the figures of this batch alone."""
        total: Any = self
        alone = total.clone()
        alone.reset()
        alone.update(*batch, **more)
        # The metric warns once, and has warned.
        total._warned |= alone._warned
        total.update(*batch, **more)
        return alone._figures_of(alone.seen)

    def state_dict(self) -> dict[str, Any]:
        """Return the argument of ``load_state_dict``, as for a checkpoint."""
        return {"seen": list(self.seen)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from the state of another metric."""
        self.seen = list(state["seen"])


HAS_TORCHMETRICS: Final = find_spec("torchmetrics") is not None
if TYPE_CHECKING or not HAS_TORCHMETRICS:
    _Base = _Plain

    def _stored(data: bytes, device: Any) -> Any:
        return data

    def _bytes(stored: Any) -> bytes:
        return bytes(stored)
else:
    import torch
    from torchmetrics import Metric as _Base

    def _stored(data: bytes, device: Any) -> Any:
        return torch.frombuffer(bytearray(data), dtype=torch.uint8).to(device)

    def _bytes(stored: Any) -> bytes:
        return stored.to("cpu", torch.uint8).numpy().tobytes()


# The options of torchmetrics itself; all others are parameters of the protocol.
_OPTIONS: Final = (
    *("compute_on_cpu", "compute_with_cache", "dist_sync_fn", "dist_sync_on_step"),
    *("distributed_available_fn", "process_group", "sync_on_compute"),
)
# The line that called update or compute; torchmetrics wraps both.
_CALLER: Final = 4 if HAS_TORCHMETRICS else 3
_INSTEAD: Final = "pass normalized=True, and sizes=[(width, height), ...] to update, if they are"


class NotABatch(RegionError):
    """The argument of ``update`` is not a batch; the message says which image, and what was expected."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """An image: its position among those of its process, its name, and its score or its scene.

    ``held`` counts its regions and their fields.
    """

    place: int
    name: str
    scene: Scene | None
    score: ImageScore | None
    held: Held

    def as_line(self) -> str:
        """Return it as a line of JSON, without the parts of scores that only drawings need."""
        scene, score = self.scene, self.score
        return json.dumps(
            {
                "place": self.place,
                "name": self.name,
                "held": asdict(self.held),
                "scene": scene
                and [encode_regions(side or ()) for side in (scene.truth, scene.detections)],
                "score": score
                and [
                    *(score.recall, score.precision, score.f_score),
                    [getattr(score.tally, of) for of in Tally.__slots__],
                    *(dict(score.indicators), score.ranked),
                ],
            }
        )


def _read(line: str) -> _Seen:
    known = json.loads(line)
    scene = score = None
    if known["scene"]:
        truth, detections = (tuple(decode_regions(side)) for side in known["scene"])
        scene = Scene(truth, detections, known["name"])
    if known["score"]:
        recall, precision, f_score, tally, indicators, ranked = known["score"]
        pairs = tuple((confidence, bool(hit)) for confidence, hit in ranked)
        score = ImageScore(
            recall, precision, f_score, Tally(*tally), indicators=indicators, ranked=pairs
        )
    return _Seen(known["place"], known["name"], scene, score, Held(**known["held"]))


class TextDetectionMetric(_Base):
    """A protocol over batches of images; a ``torchmetrics.Metric`` if torchmetrics is installed.

    Parameters
    ----------
    protocol : str
        A slug, or ``slug:variant``; see ``text-protocols list``.
    box_format : str
        The four numbers of ``boxes``: "xyxy" (left, top, right, bottom), "xywh" (left, top, width,
        height) or "cxcywh" (centre, width, height); "polygons" if they are points.
    normalized : bool
        Whether coordinates are shares of the sides of images; ``update`` then needs ``sizes``.
    **parameters
        Parameters of the protocol, by default the published ones; and options of
        ``torchmetrics.Metric``, such as ``dist_sync_on_step``.

    Raises
    ------
    UnknownProtocol, ParameterError
        As ``registry.get``; also if there is no such box format.
    ProtocolError
        If the protocol compares several methods; a training loop has only one.

    Notes
    -----
    ``compute`` gathers the images of all processes of ``torch.distributed``, if it is initialised,
    and counts each once: give ``names`` if a sampler repeats images to fill its last batch. Figures
    are computed from the images' sums, as the protocol defines, and never averaged over processes.

    Examples
    --------
    >>> metric = TextDetectionMetric("iou", min_iou=0.5)
    >>> metric.update([{"boxes": [[0, 0, 100, 40]]}], [{"boxes": [[0, 0, 100, 40], [0, 60, 50, 90]]}])
    >>> metric.compute()["recall"]
    0.5
    """

    higher_is_better = True
    is_differentiable = False
    # An image's place is that among all before it.
    full_state_update = True

    def __init__(
        self,
        protocol: str = "iou",
        *,
        box_format: str = "xyxy",
        normalized: bool = False,
        **parameters: Any,
    ) -> None:
        super().__init__(**{name: parameters.pop(name) for name in _OPTIONS if name in parameters})
        self.protocol = registry.get(protocol, parameters)
        self.box_format, self.normalized = box_format, normalized
        self._outlines = Outlines(box_format)
        self._warned: set[str] = set()
        if self.protocol.needs == "several methods":
            raise ProtocolError(f"{self.protocol.slug} compares several methods; a metric has one")
        # Lines of JSON, as bytes or as tensors of bytes, which processes can gather. The first line
        # tells this metric from others, which a collection would merge if their states were equal.
        self._head = [self.protocol.full_slug, self.protocol.parameters(), box_format, normalized]
        self.add_state("seen", [], dist_reduce_fx="cat", persistent=True)
        self._add([json.dumps(self._head)])

    def _add(self, lines: Iterable[str]) -> None:
        self.seen.append(_stored("".join(f"{line}\n" for line in lines).encode(), self.device))

    def reset(self) -> None:
        """Forget all images."""
        super().reset()
        self._add([json.dumps(self._head)])

    @property
    def _needs_all(self) -> bool:
        """Whether images can only be scored when all of them are known."""
        settles = type(self.protocol).settled_for is not Protocol.settled_for
        return self.protocol.needs_all_images or settles

    def update(
        self,
        detections: Sequence[Mapping[str, Any]],
        truths: Sequence[Mapping[str, Any]],
        names: Sequence[str] | None = None,
        sizes: Any = None,
    ) -> None:
        """Add a batch.

        Parameters
        ----------
        detections, truths : sequence of mapping, length n
            For each image one of ``boxes`` (k, 4: left, top, right, bottom in pixels, or as
            ``box_format`` and ``normalized`` have them), ``quads``
            (k, 8 or k, 4, 2) and ``polygons`` (k lists of points); optionally ``scores`` (k), ``texts``
            (k strings), ``labels`` (k), and ``ignored``, ``iscrowd``, ``ignore`` or ``difficult`` (k
            switches: regions that do not count). Tensors, arrays or lists.
        names : sequence of str, length n, optional
            A repeated image counts once, with its first data.
        sizes : array of shape (n, 2), optional
            Width and height of each image in pixels; used if the metric is ``normalized``.

        Raises
        ------
        NotABatch
            If lengths differ, an outline has another shape or a number is not finite, or coordinates
            are normalized and sizes are missing.

        Warns
        -----
        UserWarning
            Once, if all coordinates of a side so far are between 0 and 1.5, a box ends before it begins, or a
            mapping has other keys, which are not read.

        Examples
        --------
        >>> metric = TextDetectionMetric("iou")
        >>> metric.update([{"boxes": [[0, 0, 9, 9]]}], [])
        Traceback (most recent call last):
            ...
        protocols.torch.NotABatch: 1 images of detections, and 0 of truths
        """
        if len(detections) != len(truths):
            raise NotABatch(f"{len(detections)} images of detections, and {len(truths)} of truths")
        if names is not None and len(names) != len(truths):
            raise NotABatch(f"{len(names)} names of {len(truths)} images")
        # The last line is the last image, or the first line.
        last = json.loads(_bytes(self.seen[-1]).splitlines()[-1])
        start = last["place"] + 1 if isinstance(last, dict) else 0
        of_images = self._checked_sizes(sizes, len(truths))
        scenes = [
            Scene(
                self._regions(truth, f"truths[{at}]", of_images[at]),
                self._regions(found, f"detections[{at}]", of_images[at]),
                names[at] if names is not None else "",
            )
            for at, (found, truth) in enumerate(zip(detections, truths, strict=True))
        ]
        self._warn()
        scores: Sequence[ImageScore | None] = [None] * len(scenes)
        if not self._needs_all:
            scores = self.protocol.score(scenes)
        images = [
            _Seen(
                start + at,
                scene.name,
                scene if score is None else None,
                score,
                Held.of(scene.truth, scene.detections or ()),
            )
            for at, (scene, score) in enumerate(zip(scenes, scores, strict=True))
        ]
        if images:
            self._add(image.as_line() for image in images)

    def _checked_sizes(self, sizes: Any, n: int) -> Sequence[tuple[float, float] | None]:
        if not self.normalized:
            return [None] * n
        if sizes is None:
            raise NotABatch("normalized coordinates need sizes: width and height of each image")
        listed = plain_values(sizes)
        if not isinstance(listed, list) or len(listed) != n:
            raise NotABatch(f"sizes need width and height of {n} images, got {str(listed)[:60]}")
        for at, size in enumerate(listed):
            if not (isinstance(size, list) and len(size) == 2 and all(map(_is_side, size))):
                raise NotABatch(f"sizes[{at}] needs a width and a height above 0, got {size}")
        return [(width, height) for width, height in listed]

    def _regions(
        self, given: Mapping[str, Any], place: str, size: tuple[float, float] | None
    ) -> tuple[Region, ...]:
        if not isinstance(given, Mapping):
            raise NotABatch(f"{place} needs a mapping with boxes, quads or polygons")
        try:
            return self._outlines.regions(given, place, size)
        except RegionError as fault:
            raise NotABatch(str(fault)) from fault

    def _warn(self) -> None:
        """Warn of each oddity once, at the line that called update."""
        remarks = {remark: remark for remark in self._outlines.remarks()}
        if not self.normalized:
            for side in self._outlines.sides_in_shares():
                remarks[side] = f"{side}: {SHARES}: {_INSTEAD}"
        for remark, said in remarks.items():
            if remark not in self._warned:
                self._warned.add(remark)
                warnings.warn(said, stacklevel=_CALLER)

    def compute(self) -> dict[str, float]:
        """Return recall, precision, F-score and the protocol's other figures over all processes.

        Returns
        -------
        dict of str to float
            NaN is undefined. ``recall``, ``precision`` and ``f_score`` are always present. If no
            process has seen an image since the start or the last ``reset``, every value is NaN.

        Raises
        ------
        ProtocolError
            If no image has the inputs of the protocol: transcriptions, confidences or cells.

        Warns
        -----
        UserWarning
            If no process has seen an image, or not all regions have a field that the protocol reads.

        Examples
        --------
        >>> metric = TextDetectionMetric("iou")
        >>> metric.update([{"boxes": []}], [{"boxes": [[0, 0, 9, 9]]}])
        >>> metric.compute()["f_score"]
        0.0
        """
        return self._figures_of(self.seen if HAS_TORCHMETRICS else _gathered(self.seen))

    def _figures_of(self, stored: Any) -> dict[str, float]:
        seen = _each_once(_images_of(stored))
        if not seen and self.update_called:
            says = (
                f"{self.protocol.slug} has seen no image, so every figure is NaN; call update first"
            )
            # The warning is about the line that called compute, or the metric itself.
            warnings.warn(says, stacklevel=_CALLER)
        held = sum((of.held for of in seen), Held())
        if lacks := lacking_of(self.protocol, held):
            raise ProtocolError(f"{self.protocol.slug} cannot score this: {lacks}")
        for said in one_sided(self.protocol, held):
            warnings.warn(f"{self.protocol.slug}: {said}", DataWarning, stacklevel=_CALLER)
        protocol, scores = self.protocol, [of.score for of in seen if of.score is not None]
        if self._needs_all:
            scenes = [of.scene for of in seen if of.scene is not None]
            protocol = protocol.settled_for(region for scene in scenes for region in scene.truth)
            scores = protocol.score(scenes)
        overall = official(protocol, scores)
        figures = {
            "recall": overall.recall,
            "precision": overall.precision,
            "f_score": overall.f_score,
            **overall.indicators,
        }
        return {name: math.nan if value is None else value for name, value in figures.items()}

    def merge_state(self, metrics: Iterable[Self] | Self | Mapping[str, Any]) -> Self:
        """Add the images of other metrics of the same protocol, or a state; return this metric.

        Examples
        --------
        >>> first, second = TextDetectionMetric("iou"), TextDetectionMetric("iou")
        >>> second.update([{"boxes": []}], [{"boxes": [[0, 0, 9, 9]]}])
        >>> first.merge_state([second]).compute()["recall"]
        0.0
        """
        others: Any = [metrics] if isinstance(metrics, Mapping | type(self)) else metrics
        for other in others:
            if isinstance(other, Mapping):
                self.seen += other["seen"]
                continue
            if other.protocol != self.protocol:
                raise ProtocolError(f"{other.protocol} is not {self.protocol}")
            self.seen += other.seen
        return self


def _gathered(seen: list[bytes]) -> list[bytes]:
    """Return the images of all processes, or only those of this one if there is no group."""
    # A caller with a group of processes has imported it.
    distributed = sys.modules.get("torch.distributed")
    if distributed is None or not (distributed.is_available() and distributed.is_initialized()):
        return seen
    gathered: list[Any] = [None] * distributed.get_world_size()
    distributed.all_gather_object(gathered, seen)
    return [part for of_process in gathered for part in of_process]


def _images_of(stored: Any) -> Iterator[_Seen]:
    # Gathered tensors come as one.
    for part in stored if isinstance(stored, list) else [stored]:
        for line in _bytes(part).decode().splitlines():
            if line.startswith("{"):
                yield _read(line)


def _each_once(seen: Iterable[_Seen]) -> list[_Seen]:
    """Return the images of one process after the other as one process alone would have seen them.

    A sampler distributes images in turn, so the first of each process come first.
    """
    known: set[str] = set()
    once = []
    for of in sorted(seen, key=lambda of: of.place):
        if not of.name or of.name not in known:
            known.add(of.name)
            once.append(of)
    return once


def _is_side(value: Any) -> bool:
    return isinstance(value, int | float) and 0 < value < math.inf
