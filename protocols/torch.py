"""Protocols as metrics of a training loop: update, compute, reset, and right sums over processes.

Torch itself is never imported here: tensors are asked for their numbers, and processes are talked to
where the caller has set them up.
"""

import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from . import registry
from .core.base import ImageScore, Protocol, Scene, official
from .core.errors import ProtocolError
from .core.fitting import lacking
from .core.regions import Region

_OUTLINES: Final = ("boxes", "quads", "polygons")


class NotABatch(ProtocolError, ValueError):
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
    """A protocol over batches of images, as metrics of torchmetrics and torcheval are used.

    Parameters
    ----------
    protocol : str
        A slug, or ``slug:variant``; see ``text-protocols list``.
    **parameters
        Parameters of the protocol; by default the published ones.

    Raises
    ------
    UnknownProtocol, ParameterError
        As ``registry.get``.
    ProtocolError
        If the protocol compares several methods, of which a training loop has one.

    Notes
    -----
    ``compute`` gathers the images of all processes of ``torch.distributed``, where it is initialised, and
    counts each once: give ``names`` where a sampler repeats images to fill its last batch. Figures are
    computed from the images' sums, as the protocol defines, and never averaged over processes.

    Examples
    --------
    >>> metric = TextDetectionMetric("iou", min_iou=0.5)
    >>> metric.update([{"boxes": [[0, 0, 100, 40]]}], [{"boxes": [[0, 0, 100, 40], [0, 60, 50, 90]]}])
    >>> metric.compute()["recall"]
    0.5
    """

    higher_is_better = True
    is_differentiable = False

    def __init__(self, protocol: str = "iou", **parameters: Any) -> None:
        self.protocol = registry.get(protocol, parameters)
        if self.protocol.needs == "several methods":
            raise ProtocolError(f"{self.protocol.slug} compares several methods; a metric has one")
        self._seen: list[_Seen] = []

    @property
    def _needs_all(self) -> bool:
        """Whether images can only be scored when all of them are there."""
        settles = type(self.protocol).settled_for is not Protocol.settled_for
        return self.protocol.needs_all_images or settles

    def update(
        self,
        detections: Sequence[Mapping[str, Any]],
        truths: Sequence[Mapping[str, Any]],
        names: Sequence[str] | None = None,
    ) -> None:
        """Take a batch.

        Parameters
        ----------
        detections, truths : sequence of mapping, length n
            For each image one of ``boxes`` (k, 4: left, top, right, bottom in pixels), ``quads``
            (k, 8 or k, 4, 2) and ``polygons`` (k lists of points); optionally ``scores`` (k), ``texts``
            (k strings) and ``ignored`` (k switches). Tensors, arrays or lists.
        names : sequence of str, length n, optional
            A repeated image counts once, with its first data.

        Raises
        ------
        NotABatch
            If lengths differ, or an outline has another shape.

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
        scenes = [
            Scene(
                _regions(truth, f"truths[{at}]"),
                _regions(found, f"detections[{at}]"),
                names[at] if names is not None else "",
            )
            for at, (found, truth) in enumerate(zip(detections, truths, strict=True))
        ]
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

    def _lacks(self, scene: Scene) -> str:
        return lacking(self.protocol, scene.truth, scene.detections or (), n_methods=1)

    def compute(self) -> dict[str, float | None]:
        """Return recall, precision, F-score and the protocol's other figures, of all processes together.

        Returns
        -------
        dict of str to float or None
            None is undefined. The keys ``recall``, ``precision`` and ``f_score`` are always there. If no
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
            # The line that called compute, or the metric itself.
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
    ) -> dict[str, float | None]:
        """Take a batch, and return the figures of this batch alone."""
        batch = type(self)(self.protocol.slug, **self.protocol.parameters())
        batch.update(detections, truths, names)
        self.update(detections, truths, names)
        return batch._computed([batch._seen])

    def merge_state(self, metrics: Iterable[Self]) -> Self:
        """Take over the images of other metrics of the same protocol; return itself.

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
        """Go on where another metric was."""
        self._seen = list(state["seen"])


def _gathered(seen: list[_Seen]) -> list[list[_Seen]]:
    """Return the images of each process, those of this one alone where there is no group."""
    # A caller with a group of processes has imported it.
    distributed = sys.modules.get("torch.distributed")
    if distributed is None or not (distributed.is_available() and distributed.is_initialized()):
        return [seen]
    gathered: list[Any] = [None] * distributed.get_world_size()
    distributed.all_gather_object(gathered, seen)
    return gathered


def _each_once(of_processes: Sequence[Sequence[_Seen]]) -> list[_Seen]:
    """Return the images in the order in which one process alone would have seen them.

    A sampler deals images out in turn, so the first of each process come first.
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


def _listed(values: Any) -> list[Any]:
    """Return a tensor of any device, an array or a sequence as nested lists of plain values."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
    listed = values.tolist() if hasattr(values, "tolist") else values
    return [
        _listed(of)
        if (isinstance(of, Sequence) and not isinstance(of, str)) or hasattr(of, "tolist")
        else of
        for of in listed
    ]


def _regions(given: Mapping[str, Any], place: str) -> tuple[Region, ...]:
    named = [key for key in _OUTLINES if key in given]
    if len(named) != 1:
        raise NotABatch(
            f"{place} needs one of {', '.join(_OUTLINES)}; it has {', '.join(given) or 'nothing'}"
        )
    outlines = _listed(given[named[0]])
    beside = {
        key: _listed(given[key])
        for key in ("scores", "texts", "ignored")
        if given.get(key) is not None
    }
    for key, values in beside.items():
        if len(values) != len(outlines):
            raise NotABatch(f"{place} has {len(values)} {key} of {len(outlines)} {named[0]}")
    regions = []
    for at, outline in enumerate(outlines):
        points = _flat(outline)
        if named[0] == "boxes" and len(points) == 4:
            left, top, right, bottom = points
            points = (left, top, right, top, right, bottom, left, bottom)
        elif named[0] == "boxes" or (named[0] == "quads" and len(points) != 8):
            raise NotABatch(f"{place}, {named[0]}[{at}] has {len(points)} numbers")
        regions.append(
            Region(
                points,
                text=beside["texts"][at] if "texts" in beside else None,
                confidence=float(beside["scores"][at]) if "scores" in beside else None,
                ignored=bool(beside["ignored"][at]) if "ignored" in beside else False,
            )
        )
    return tuple(regions)


def _flat(outline: Sequence[Any]) -> tuple[float, ...]:
    return tuple(
        float(value)
        for part in outline
        for value in (part if isinstance(part, Sequence) else (part,))
    )
