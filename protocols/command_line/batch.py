"""Scoring many result sets with many protocols, on all cores."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from .. import registry
from ..core.base import ImageScore, OverallScore, Protocol, Scene
from ..core.errors import ProtocolError
from ..core.fitting import lacking
from ..core.regions import Region
from ..formats.contents import Kind
from ..formats.rrc import read_archive

# Recall, precision and F-score; None is undefined.
Figures = tuple[float | None, float | None, float | None]
_UNDEFINED: Final[Figures] = (None, None, None)


class BatchError(ProtocolError):
    """A file that cannot be scored; names it."""


@dataclass(frozen=True, slots=True)
class Scored:
    """One result set under one protocol: the figures of every image, and the official ones.

    ``note`` says why there are none, where the data lack what the protocol needs.
    """

    slug: str
    method: str
    images: Mapping[str, Figures]
    overall: Figures
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Task:
    protocols: tuple[Protocol, ...]
    truth: str
    results: tuple[str, ...]
    # Leave protocols undefined whose needs the data do not meet.
    only_fitting: bool

    def scored(self) -> list[Scored]:
        truth = _read(self.truth, "truth")
        results = {path: _checked(path, truth) for path in self.results}
        scenes = {path: read_scenes(self.truth, path) for path in self.results}
        fitting = []
        scored = []
        for protocol in self.protocols:
            notes = {
                path: lacking(protocol, _all(truth), _all(results[path]), len(results))
                if self.only_fitting
                else ""
                for path in self.results
            }
            if any(not note for note in notes.values()):
                fitting.append(protocol)
                continue
            for path, note in notes.items():
                nothing = dict.fromkeys(truth, _UNDEFINED)
                scored.append(Scored(protocol.slug, Path(path).stem, nothing, _UNDEFINED, note))
        for protocol, scores in _scores(fitting, scenes):
            for path, of_method in scores.items():
                overall = _figures(protocol.overall(of_method))
                images = dict(zip(truth, map(_figures, of_method), strict=True))
                scored.append(Scored(protocol.slug, Path(path).stem, images, overall))
        return scored


def _scores(
    protocols: Sequence[Protocol], scenes: Mapping[str, Sequence[Scene]]
) -> Iterator[tuple[Protocol, Mapping[str, Sequence[ImageScore]]]]:
    together = [protocol for protocol in protocols if protocol.needs == "several methods"]
    alone = [protocol for protocol in protocols if protocol.needs != "several methods"]
    for protocol in together:
        yield protocol, protocol.score_methods(scenes)
    for path, of_method in scenes.items():
        for protocol, scores in zip(alone, registry.score_together(alone, of_method), strict=True):
            yield protocol, {path: scores}


def _all(images: Mapping[str, Sequence[Region]]) -> Iterator[Region]:
    return (region for regions in images.values() for region in regions)


def _figures(score: ImageScore | OverallScore) -> Figures:
    return score.recall, score.precision, score.f_score


@lru_cache(maxsize=4)
def _read(path: str, kind: Kind) -> Mapping[str, tuple[Region, ...]]:
    archive = read_archive(path, kind=kind)
    if archive.errors:
        raise BatchError(str(archive.errors[0]))
    return archive.regions


def _checked(path: str, truth: Mapping[str, object]) -> Mapping[str, tuple[Region, ...]]:
    results = _read(path, "results")
    stranger = next((image for image in results if image not in truth), None)
    if stranger is not None:
        raise BatchError(f"{path} has results for {stranger}, which the ground truth lacks")
    return results


def read_scenes(truth: str, results: str) -> list[Scene]:
    """Return the scenes of a result set.

    Raises
    ------
    BatchError
        If a file cannot be read, or has results for an image that the ground truth lacks.
    """
    regions = _read(truth, "truth")
    detections = _checked(results, regions)
    return [Scene(of_image, detections.get(image), image) for image, of_image in regions.items()]


def score_files(
    protocols: Sequence[Protocol],
    truth: str,
    results: Sequence[str],
    *,
    n_jobs: int = 1,
    only_fitting: bool = False,
) -> Iterator[tuple[int, int, list[Scored]]]:
    """Score result sets; yield how many parts are done, how many there are, and what came.

    A method is named after its file. The order is that of completion; with one job that of the
    result sets, protocols that look at several methods first.

    Raises
    ------
    BatchError
        If a file cannot be read, or has results for an image that the ground truth lacks.
    """
    tasks = _tasks(protocols, truth, results, n_jobs, only_fitting)
    if n_jobs <= 1 or len(tasks) <= 1:
        for done, task in enumerate(tasks, 1):
            yield done, len(tasks), task.scored()
        return
    with ProcessPoolExecutor(min(n_jobs, len(tasks))) as pool:
        left: set[Future[list[Scored]]] = {pool.submit(_Task.scored, task) for task in tasks}
        try:
            while left:
                ready, left = wait(left, return_when=FIRST_COMPLETED)
                for at, future in enumerate(ready, 1):
                    yield len(tasks) - len(left) - len(ready) + at, len(tasks), future.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _tasks(
    protocols: Sequence[Protocol],
    truth: str,
    results: Sequence[str],
    n_jobs: int,
    only_fitting: bool,
) -> list[_Task]:
    """Cut the work so that every core has some: by result sets, and by protocols if those are few."""
    together = [protocol for protocol in protocols if protocol.needs == "several methods"]
    alone = [protocol for protocol in protocols if protocol.needs != "several methods"]
    tasks = [_Task((protocol,), truth, tuple(results), only_fitting) for protocol in together]
    n_parts = 1 if len(results) >= 2 * n_jobs else min(len(alone), 2 * n_jobs)
    for path in results:
        for part in range(n_parts):
            share = tuple(alone[part::n_parts])
            if share:
                tasks.append(_Task(share, truth, (path,), only_fitting))
    return tasks
