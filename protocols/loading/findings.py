"""Findings about files and loads, as all doors show them, and loads that are stopped."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from ..diagnostics.inspection import Noticed
from ..diagnostics.readings import EXCHANGED
from ..diagnostics.stops import Misread, wrong_side
from ..formats.problems import MISREAD, Problem, Problems
from ..formats.summaries import findings, left_out
from .looking import Truth

# How a person passes a reading at a door, such as "--results-reading stored"; empty if it cannot be.
Answer = Callable[[str], str]


def findings_of(noticed: Noticed, answer: Answer | None = None, reading: str = "") -> list[str]:
    """Return a sentence for each kind of finding about a file, and for lines left out.

    A finding that offers a reading ends with its ``answer``; ``reading`` is the one that a person
    named, which is no finding.
    """
    archive = noticed.archive
    n = archive.n_skipped_lines
    lines = [f"{archive.name}: {left_out(n)}"] if n else []
    return findings(_told(noticed, answer, reading), archive.counts) + lines


def _told(noticed: Noticed, answer: Answer | None, reading: str = "") -> list[Problem]:
    offer = noticed.offer
    said = answer(offer.reading) if offer is not None and answer is not None else ""
    return [
        replace(of, expected=f"results that fit; to read it so: {said}")
        if said and of.code == "F2"
        else of
        for of in noticed.archive.problems
        if not reading or of.code != "F2" or of.action == MISREAD
    ]


def require_possible(
    name: str,
    truth: Truth,
    results: Iterable[tuple[Noticed, Answer | None]],
    *,
    is_said: bool = False,
    answer: Answer | None = None,
) -> None:
    """Raise Misread, with the answer, if a load cannot be right as read (``wrong_side``).

    ``name`` is that of the ground truth, ``answer`` how a person passes its reading; results have
    theirs.
    """
    seen: list[tuple[Noticed, Answer | None]] = []

    def each() -> Iterator[Noticed]:
        for of in results:
            seen.append(of)
            yield of[0]

    problems = Problems(name)
    side = wrong_side(problems, truth.against.truth, truth.sizes, each(), is_said=is_said)
    if side == "truth":
        [problem] = problems.found
        said = answer(EXCHANGED) if answer else ""
        raise Misread(f"{problem} To read it so: {said}." if said else str(problem))
    if side == "results":
        misread = next(of for of in seen if of[0].is_misread)
        raise Misread(next(str(of) for of in _told(*misread) if of.code == "F2"))
