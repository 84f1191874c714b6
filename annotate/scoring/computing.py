"""Computing the scores of stored results, in chunks of images."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace

from django.db.models import QuerySet

from annotate.datasets.models import Method, Result
from protocols.core.base import ImageScore, Protocol, Scene, Tally
from protocols.core.crowding import require_feasible
from protocols.core.fitting import Held
from protocols.scoring import OneMethod, chunks_of_images, chunks_of_method
from text_rankings.base.chunks import answers

from .models import TALLY, ProtocolRun, Score

# Called with the number of scored results, and of all.
Progress = Callable[[int, int], None]
_ROWS_AT_ONCE = 500


@dataclass(frozen=True)
class Kept:
    """An earlier run, whose scores are kept for all images but those corrected since, by their keys."""

    run: ProtocolRun
    corrected: Sequence[int]


@dataclass(slots=True)
class OfMethod:
    """The scores of one method and the keys of its results, in the order of the images.

    ``held`` counts the fields of its scenes if the protocol reads any.
    """

    method: Method
    results: list[int] = field(default_factory=list)
    scores: list[ImageScore] = field(default_factory=list)
    held: Held = field(default_factory=Held)
    # None: all images.
    images: Collection[int] | None = None

    def rows(self) -> Iterator[Result]:
        rows = in_order(self.method).select_related("image")
        if self.images is not None:
            rows = rows.filter(image__in=self.images)
        return rows.iterator(_ROWS_AT_ONCE)

    def take(self, run: ProtocolRun) -> None:
        """Add the scores that a run has of the other images."""
        scores = {
            score.result_id: image_score(score)
            for score in run.scores.filter(result__method=self.method).iterator()
        }
        scores |= zip(self.results, self.scores, strict=True)
        self.results = list(in_order(self.method).values_list("pk", flat=True))
        self.scores = [scores[result] for result in self.results]


def in_order(method: Method) -> QuerySet[Result]:
    """Return the results of a method in the order of the images."""
    return method.results.order_by("image__position", "image__pk")


def image_score(score: Score) -> ImageScore:
    """Return a stored score; matches and ranked detections are not stored."""
    tally = Tally(*(getattr(score, field) for field in TALLY))
    return ImageScore(
        score.recall, score.precision, score.f_score, tally, indicators=score.indicators
    )


def computed(
    protocol: Protocol,
    methods: Sequence[Method],
    n_results: int,
    progress: Progress,
    executor: Executor | None,
    images: Collection[int] | None = None,
) -> list[OfMethod]:
    """Return the scores of each method; rows are read while earlier chunks are computed."""
    of_method = {method.name: OfMethod(method, images=images) for method in methods}
    compute = _together if protocol.needs == "several methods" else _alone
    done = 0
    for n_more in compute(protocol, of_method, executor):
        done += n_more
        progress(done, n_results)
    return list(of_method.values())


def _alone(
    protocol: Protocol, of_method: dict[str, OfMethod], executor: Executor | None
) -> Iterator[int]:
    def chunks() -> Iterator[OneMethod]:
        for name, own in of_method.items():
            yield from chunks_of_method([protocol], name, _scenes(own, protocol))

    for chunk, [scores] in answers(executor, chunks()):
        of_method[chunk.method].scores += scores
        yield len(scores)


def _scenes(own: OfMethod, protocol: Protocol) -> Iterator[Scene]:
    reads_fields = bool(protocol.fields_read())
    for result in own.rows():
        own.results.append(result.pk)
        scene = scene_of(result)
        require_feasible([scene])
        if reads_fields:
            own.held += Held.of(scene.truth, scene.detections or ())
        yield scene


def _together(
    protocol: Protocol, of_method: dict[str, OfMethod], executor: Executor | None
) -> Iterator[int]:
    """Score methods that are compared with each other, on each image those with a result."""
    of_image: defaultdict[int, dict[str, Scene]] = defaultdict(dict)
    images = {}
    for name, own in of_method.items():
        for result in own.rows():
            own.results.append(result.pk)
            images[result.pk] = result.image_id
            of_image[result.image_id][name] = scene_of(result)
    for scenes in of_image.values():
        found = [region for scene in scenes.values() for region in scene.detections or ()]
        require_feasible([replace(next(iter(scenes.values())), detections=tuple(found))])
    scores: dict[tuple[int, str], ImageScore] = {}
    keys = iter(of_image)
    for _, of_chunk in answers(executor, chunks_of_images(protocol, of_image.values())):
        for of_methods in of_chunk:
            key = next(keys)
            scores |= {(key, name): score for name, score in of_methods.items()}
        yield sum(map(len, of_chunk))
    for name, own in of_method.items():
        own.scores = [scores[images[result], name] for result in own.results]


def scene_of(result: Result) -> Scene:
    """Return the scene of a result whose image is already loaded."""
    image = result.image
    return Scene(
        truth=image.truth_regions,
        detections=result.detections if result.had_file else None,
        name=image.name,
        width=image.width,
        height=image.height,
    )
