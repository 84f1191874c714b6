"""Scoring result sets in chunks of images, here or wherever an executor computes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Final, TypeVar

from text_rankings.base.chunks import answers

from . import registry
from .core.base import ImageScore, Protocol, Scene

# Regions of a chunk times protocols: about a second on one core.
CHUNK_WEIGHT: Final = 20_000
# At most this many images, even if they have few regions.
CHUNK_IMAGES: Final = 1_000
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class OneMethod:
    """A chunk: some images of one result set, and the protocols to score them with.

    Its result: for each protocol the score of each image, without data for drawing.
    """

    protocols: tuple[Protocol, ...]
    method: str
    # Index of the first image among those of the method.
    start: int
    scenes: tuple[Scene, ...]

    @property
    def name(self) -> str:
        return _named(self.start, len(self.scenes), self.method)

    def __call__(self) -> list[list[ImageScore]]:
        scores = registry.score_together(self.protocols, self.scenes)
        return [[_figures_of(score) for score in of_protocol] for of_protocol in scores]


@dataclass(frozen=True, slots=True)
class SeveralMethods:
    """A chunk: some images, each with the results of the methods that are compared on it.

    Its result: for each image the score of each method, without data for drawing.
    """

    protocol: Protocol
    start: int
    images: tuple[Mapping[str, Scene], ...]

    @property
    def name(self) -> str:
        return _named(self.start, len(self.images), "all methods")

    def __call__(self) -> list[dict[str, ImageScore]]:
        return [self._scored(scenes) for scenes in self.images]

    def _scored(self, scenes: Mapping[str, Scene]) -> dict[str, ImageScore]:
        scores = self.protocol.score_methods({method: [scene] for method, scene in scenes.items()})
        return {method: _figures_of(score) for method, [score] in scores.items()}


def _named(start: int, n: int, whose: str) -> str:
    return f"images {start + 1} to {start + n} of {whose}"


def _figures_of(score: ImageScore) -> ImageScore:
    # Three times as fast as replace(), for each image of each method.
    figures = score.recall, score.precision, score.f_score, score.tally
    return ImageScore(*figures, indicators=score.indicators, ranked=score.ranked)


def chunks_of_method(
    protocols: Sequence[Protocol], method: str, scenes: Iterable[Scene]
) -> Iterator[OneMethod]:
    """Yield the chunks of a result set: a single one if a protocol needs all images at once.

    Scenes are read as chunks are asked for.
    """
    if any(protocol.needs_all_images for protocol in protocols):
        yield OneMethod(tuple(protocols), method, 0, tuple(scenes))
        return
    weight = CHUNK_WEIGHT // max(1, len(protocols))
    for start, part in _parts(((scene, _n_regions(scene)) for scene in scenes), weight):
        yield OneMethod(tuple(protocols), method, start, part)


def chunks_of_images(
    protocol: Protocol, images: Iterable[Mapping[str, Scene]]
) -> Iterator[SeveralMethods]:
    """Yield the chunks of images whose methods are compared with each other, image by image.

    The protocol compares methods; images are read as chunks are asked for.
    """
    weighed = ((scenes, sum(map(_n_regions, scenes.values()))) for scenes in images)
    for start, part in _parts(weighed, CHUNK_WEIGHT // 10):
        yield SeveralMethods(protocol, start, part)


def score_methods(
    protocol: Protocol, results: Mapping[str, Sequence[Scene]], executor: Executor | None = None
) -> dict[str, list[ImageScore]]:
    """Return the scores of several methods, equal to the last digit wherever they are computed.

    Parameters
    ----------
    results : method -> scenes
        For a protocol that compares methods: the same images of every method, in the same order.
    executor : Executor or None
        Computes the chunks; None: this process does, one after the other.

    Returns
    -------
    dict of method -> list of ImageScore
        In the order of the images, without matches and histograms.

    Examples
    --------
    >>> from protocols.core.regions import Region
    >>> word = (Region.from_box(0, 0, 100, 40),)
    >>> scenes = {"good": [Scene(word, word)], "blind": [Scene(word, ())]}
    >>> scores = score_methods(registry.get("iou"), scenes)
    >>> {method: score.recall for method, [score] in scores.items()}
    {'good': 1.0, 'blind': 0.0}
    """
    scores: dict[str, list[ImageScore]] = {method: [] for method in results}
    if protocol.needs == "several methods":
        images = (
            dict(zip(results, scenes, strict=True))
            for scenes in zip(*results.values(), strict=True)
        )
        for _, of_images in answers(executor, chunks_of_images(protocol, images)):
            for of_image in of_images:
                for method, score in of_image.items():
                    scores[method].append(score)
        return scores
    chunks = (
        chunk
        for method, scenes in results.items()
        for chunk in chunks_of_method([protocol], method, scenes)
    )
    for chunk, [of_chunk] in answers(executor, chunks):
        scores[chunk.method] += of_chunk
    return scores


def _n_regions(scene: Scene) -> int:
    return len(scene.truth) + len(scene.detections or ())


def _parts(weighed: Iterable[tuple[T, int]], most: float) -> Iterator[tuple[int, tuple[T, ...]]]:
    """Yield the items in parts of about equal weight, each with the index of its first item.

    If there are no items, yield one empty part.
    """
    start, total = 0, 0
    part: list[T] = []
    for item, weight in weighed:
        part.append(item)
        total += weight
        if total >= most or len(part) >= CHUNK_IMAGES:
            yield start, tuple(part)
            start, part, total = start + len(part), [], 0
    if part or not start:
        yield start, tuple(part)
