"""Results compared with their ground truth, and loads in which one side cannot be right as read."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from protocols.core.errors import ProtocolError
from protocols.core.regions import Region
from protocols.formats.containers.checking import Meaning
from protocols.formats.containers.contents import Archive
from protocols.formats.problems import MISREAD, Problems
from protocols.formats.summaries import findings

from .empty_results import images_with_text, look_over
from .inspection import Against, look
from .readings import AS_READ, EXCHANGED, Regions, Sizes
from .truths import tell_exchanged

# How a person passes a reading at a door, such as "--results-reading stored"; empty if it cannot be.
Answer = Callable[[str], str]


class Misread(ProtocolError, ValueError):
    """A load that cannot be right as it is read; the message says how to read it otherwise."""


class Looked(Protocol):
    """The outcome of looking at one result set, as in ``inspection.Noticed``."""

    @property
    def is_exchanged(self) -> bool: ...
    @property
    def fits_hardly(self) -> bool: ...
    @property
    def is_misread(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Compared:
    """One result set as compared with the ground truth, and the findings about its fit."""

    name: str
    findings: tuple[str, ...]
    is_exchanged: bool
    fits_hardly: bool
    is_misread: bool


def wrong_side(
    truth: Problems | None,
    regions: Regions,
    sizes: Sizes,
    results: Iterable[tuple[str, Looked]],
    *,
    is_said: bool,
) -> Literal["truth", "results"] | None:
    """Return the side of a load that cannot be right as read, or None.

    The ground truth, if all results fit it only with x and y exchanged (``tell_exchanged``, which
    adds to the problems ``truth``). The results, if each of them fits below 0.05 by IOU while
    another reading fits one of them above 0.5. ``results`` are asked for until one decides that
    neither is wrong; ``is_said`` tells whether a person named their reading.
    """
    names = []
    are_exchanged = fit_hardly = True
    are_misread = False
    for name, of in results:
        names.append(name)
        are_exchanged &= of.is_exchanged
        fit_hardly &= of.fits_hardly
        are_misread |= of.is_misread
        if not are_exchanged and not fit_hardly:
            return None
    if not names:
        return None
    if (
        truth is not None
        and are_exchanged
        and tell_exchanged(truth, regions, sizes, names, is_said=is_said)
    ):
        return "truth"
    return "results" if fit_hardly and are_misread else None


def compared(
    archive: Archive,
    truth: Mapping[str, Sequence[Region]],
    sizes: Sizes | None = None,
    read_as: Callable[[str], Archive] | None = None,
    answer: Answer | None = None,
    reading: str = "",
    photographs: Sizes | None = None,
    absent: Meaning | None = "empty",
) -> Compared:
    """Compare a result set with the ground truth, and report what a load would.

    ``truth`` has all images in counting order, ``sizes`` are width and height in pixels where they
    are known; ``read_as`` reads the file again in a format, None if there is no file. A finding
    ends with the ``answer`` that reads the file as offered; ``reading`` is the one that a person
    named. Other readings are tried only if recall at IoU 0.5 is below a third. Regions are looked
    for outside of ``photographs``, by their sizes; ``absent`` is the meaning of an image without
    results. The findings are sentences, one for each kind: fit (F2, F3), copies of the truth (F4),
    images without boxes (F5), fields of one side (F10), regions outside (L6).
    """
    images = {image: (sizes or {}).get(image) for image in truth}
    against = Against.of(list(truth), lambda names: {name: truth[name] for name in names})
    noticed = look(archive, against, images, reading or AS_READ, read_as)
    found = noticed.archive.problems[len(archive.problems) :]
    # That the file is read as a person said is no finding.
    told = [of for of in found if not reading or of.code != "F2" or of.action == MISREAD]
    if noticed.offer is not None and answer is not None and (said := answer(noticed.offer.reading)):
        expected = f"results that fit; to read it so: {said}"
        told = [replace(of, expected=expected) if of.code == "F2" else of for of in told]
    problems = Problems(archive.name, told)
    look_over(problems, noticed.archive, images_with_text(truth.items()), photographs or {}, absent)
    sentences = tuple(findings(problems.found, problems.counts))
    flags = noticed.is_exchanged, noticed.fits_hardly, noticed.is_misread
    return Compared(archive.name, sentences, *flags)


def require_possible(
    truth: str,
    regions: Regions,
    sizes: Sizes,
    results: Iterable[Compared],
    *,
    is_said: bool = False,
    answer: Answer | None = None,
) -> None:
    """Raise Misread, with the answer, if a load cannot be right as read (``wrong_side``).

    ``truth`` names the ground truth, ``answer`` is how a person passes its reading.
    """
    seen: list[Compared] = []

    def each() -> Iterable[tuple[str, Compared]]:
        for of in results:
            seen.append(of)
            yield of.name, of

    problems = Problems(truth)
    side = wrong_side(problems, regions, sizes, each(), is_said=is_said)
    if side == "truth":
        [problem] = problems.found
        said = answer(EXCHANGED) if answer else ""
        raise Misread(f"{problem} To read it so: {said}." if said else str(problem))
    if side == "results":
        raise Misread(next(of for one in seen if one.is_misread for of in one.findings))
