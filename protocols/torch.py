"""Protocols as metrics of a training loop: update, compute, reset, and correct sums over processes.

Torch itself is never imported here: tensors are read as numbers, and processes communicate
through what the caller has set up.
"""

import math
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from . import registry
from .arrays import SHARES, TURNED, Outlines, plain_values
from .core.base import ImageScore, Protocol, Scene, official
from .core.errors import ProtocolError, RegionError
from .core.fitting import lacking
from .core.regions import Region

_INSTEAD: Final = "pass normalized=True, and sizes=[(width, height), ...] to update, if they are"


class NotABatch(RegionError):
    """The argument of ``update`` is not a batch; the message says which image, and what was expected."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """An image: its position among those of its process, its name, and its score or its scene.

    ``lacks`` names the inputs that the protocol needs and the image does not have.
    """

    place: int
    name: str
    scene: Scene | None
    score: ImageScore | None
    lacks: str


class TextDetectionMetric:
    """A protocol over batches of images, used like metrics of torchmetrics and torcheval.

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
        Parameters of the protocol; by default the published ones.

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

    def __init__(
        self,
        protocol: str = "iou",
        *,
        box_format: str = "xyxy",
        normalized: bool = False,
        **parameters: Any,
    ) -> None:
        self.protocol = registry.get(protocol, parameters)
        self.box_format, self.normalized = box_format, normalized
        self._outlines = Outlines(box_format)
        self._warned: set[str] = set()
        if self.protocol.needs == "several methods":
            raise ProtocolError(f"{self.protocol.slug} compares several methods; a metric has one")
        self._seen: list[_Seen] = []

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
            (k strings) and ``ignored`` (k switches). Tensors, arrays or lists.
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
            Once, if all coordinates so far are between 0 and 1.5, or a box ends before it begins.

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
        start = len(self._seen)
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
            # Parts needed only for drawing would fill the memory of a long validation.
            scores = [
                replace(score, matches=(), unmatched=(), histograms={})
                for score in self.protocol.score(scenes)
            ]
        self._seen += [
            _Seen(
                start + at, scene.name, scene if score is None else None, score, self._lacks(scene)
            )
            for at, (scene, score) in enumerate(zip(scenes, scores, strict=True))
        ]

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
        for remark in self._outlines.remarks():
            if remark not in self._warned and not (remark == SHARES and self.normalized):
                self._warned.add(remark)
                said = f"{remark}: {_INSTEAD}" if remark == SHARES else remark
                warnings.warn(said, stacklevel=3)

    def _lacks(self, scene: Scene) -> str:
        return lacking(self.protocol, scene.truth, scene.detections or (), n_methods=1)

    def compute(self) -> dict[str, float | None]:
        """Return recall, precision, F-score and the protocol's other figures over all processes.

        Returns
        -------
        dict of str to float or None
            None is undefined. ``recall``, ``precision`` and ``f_score`` are always present. If no
            process has seen an image since the start or the last ``reset``, every value is None.

        Warns
        -----
        UserWarning
            If no process has seen an image.

        Raises
        ------
        ProtocolError
            If no image has the inputs of the protocol: transcriptions, confidences or cells.

        Examples
        --------
        >>> metric = TextDetectionMetric("iou")
        >>> metric.update([{"boxes": []}], [{"boxes": [[0, 0, 9, 9]]}])
        >>> metric.compute()["f_score"]
        0.0
        """
        return self._computed(_gathered(self._seen))

    def _computed(self, of_processes: Sequence[Sequence[_Seen]]) -> dict[str, float | None]:
        seen = _each_once(of_processes)
        if not seen:
            says = f"{self.protocol.slug} has seen no image, so every figure is None; call update first"
            # The warning is about the line that called compute, or the metric itself.
            warnings.warn(says, stacklevel=3)
        elif all(of.lacks for of in seen):
            raise ProtocolError(f"{self.protocol.slug} cannot score this: {seen[0].lacks}")
        protocol, scores = self.protocol, [of.score for of in seen if of.score is not None]
        if self._needs_all:
            scenes = [of.scene for of in seen if of.scene is not None]
            protocol = protocol.settled_for(region for scene in scenes for region in scene.truth)
            scores = protocol.score(scenes)
        overall = official(protocol, scores)
        return {
            "recall": overall.recall,
            "precision": overall.precision,
            "f_score": overall.f_score,
            **overall.indicators,
        }

    def reset(self) -> None:
        """Forget all images."""
        self._seen = []

    def __call__(
        self,
        detections: Sequence[Mapping[str, Any]],
        truths: Sequence[Mapping[str, Any]],
        names: Sequence[str] | None = None,
        sizes: Any = None,
    ) -> dict[str, float | None]:
        """Take a batch, and return the figures of this batch alone."""
        batch = type(self)(
            self.protocol.slug,
            box_format=self.box_format,
            normalized=self.normalized,
            **self.protocol.parameters(),
        )
        # The metric itself warns.
        batch._warned.update((SHARES, TURNED))
        batch.update(detections, truths, names, sizes)
        self.update(detections, truths, names, sizes)
        return batch._computed([batch._seen])

    def merge_state(self, metrics: Iterable[Self]) -> Self:
        """Add the images of other metrics of the same protocol; return this metric.

        Examples
        --------
        >>> first, second = TextDetectionMetric("iou"), TextDetectionMetric("iou")
        >>> second.update([{"boxes": []}], [{"boxes": [[0, 0, 9, 9]]}])
        >>> len(first.merge_state([second]).state_dict()["seen"])
        1
        """
        for metric in metrics:
            if metric.protocol != self.protocol:
                raise ProtocolError(f"{metric.protocol} is not {self.protocol}")
            self._seen += metric._seen
        return self

    def state_dict(self) -> dict[str, Any]:
        """Return the argument of ``load_state_dict``, as for a checkpoint."""
        return {"seen": list(self._seen)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from the state of another metric."""
        self._seen = list(state["seen"])


def _gathered(seen: list[_Seen]) -> list[list[_Seen]]:
    """Return the images of each process, or only those of this one if there is no group."""
    # A caller with a group of processes has imported it.
    distributed = sys.modules.get("torch.distributed")
    if distributed is None or not (distributed.is_available() and distributed.is_initialized()):
        return [seen]
    gathered: list[Any] = [None] * distributed.get_world_size()
    distributed.all_gather_object(gathered, seen)
    return gathered


def _each_once(of_processes: Sequence[Sequence[_Seen]]) -> list[_Seen]:
    """Return the images in the order in which one process alone would have seen them.

    A sampler distributes images in turn, so the first of each process come first.
    """
    turns = sorted(
        ((of.place, rank, of) for rank, seen in enumerate(of_processes) for of in seen),
        key=lambda turn: turn[:2],
    )
    known: set[str] = set()
    once = []
    for _, _, of in turns:
        if not of.name or of.name not in known:
            known.add(of.name)
            once.append(of)
    return once


def _is_side(value: Any) -> bool:
    return isinstance(value, int | float) and 0 < value < math.inf
