"""Reports of commands on standard error: readings, findings and progress."""

import sys
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from ..core.regions import Region
from ..diagnostics.same_results import Repeats
from ..formats.containers.contents import Archive
from ..formats.names import method_name
from ..loading.findings import findings_of
from ..loading.sources import (
    Formats,
    findings_about,
    looked_results,
    looked_truth,
    require_fit,
)

# Characters of the progress bar.
_BAR: Final = 40


def tell_truth(path: str, results: Sequence[str], formats: Formats) -> None:
    """Report how the ground truth was read, and the findings about it.

    Raises Misread if it and the results cannot be right as read.
    """
    of_truth, _ = looked_truth(path, formats)
    _tell(of_truth.archive, findings_of(of_truth))
    require_fit(results, path, formats)


def tell_results(path: str, truth: str, formats: Formats, repeats: Repeats | None = None) -> None:
    """Report how a result set was read, and the findings about it, its fit and those before it."""
    archive = looked_results(path, truth, formats).archive
    _tell(archive, findings_about(path, truth, formats))
    regions = partial(_regions, path, truth, formats)
    for said in repeats.told(archive.name, method_name(path), regions) if repeats else ():
        print(said, file=sys.stderr)


def _regions(path: str, truth: str, formats: Formats) -> Mapping[str, tuple[Region, ...]]:
    return looked_results(path, truth, formats).archive.regions


def _tell(archive: Archive, found: Sequence[str]) -> None:
    if archive.reading:
        print(f"{archive.name}: read as {archive.reading} ({archive.format})", file=sys.stderr)
    for said in found:
        print(said, file=sys.stderr)


def show_progress(done: int, n: int, name: str) -> None:
    """Report how many of n parts are done; on a terminal as a bar."""
    if sys.stderr.isatty():
        filled = _BAR * done // n
        bar = "#" * filled + "." * (_BAR - filled)
        print(f"\r[{bar}] {done}/{n}", end="\n" if done == n else "", file=sys.stderr, flush=True)
    else:
        print(f"{done}/{n} {name}".rstrip(), file=sys.stderr)
