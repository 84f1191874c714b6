"""Findings about files and loads, as all doors show them."""

from ..formats.containers.contents import Archive
from ..formats.summaries import findings, left_out


def findings_of(archive: Archive) -> list[str]:
    """Return a sentence for each kind of finding about a file, and for lines left out."""
    told = findings(archive.problems, archive.counts)
    n = archive.n_skipped_lines
    return [*told, f"{archive.name}: {left_out(n)}"] if n else told
