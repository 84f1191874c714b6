"""The check of an upload. It is given no ground truth, so nothing that it says depends on any.

It knows names and sizes of images, the format of lines, and the inputs that the protocols need.
Sentences, causes, pictures and the time that it takes therefore follow from the upload alone. The
module imports no table of datasets, and the check makes no query: a test holds both.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from annotate.imports.checking import Given, Known, check_results
from annotate.imports.models import DraftFile, FileKind, Missing
from annotate.imports.staging import Rows
from protocols.core.base import Protocol
from protocols.core.fitting import lacking_in_results
from protocols.core.regions import decode_regions
from protocols.formats.problems import CODES
from protocols.formats.summaries import summaries
from text_rankings.base.i18n import Message
from text_rankings.base.i18n import gettext as _

Size = tuple[int, int]
# Farther coordinates are refused, because they are beyond what some protocols can compute with.
FARTHEST_PX: Final = 1_000_000


@dataclass
class Checked:
    """Findings and counts of an upload; it is refused if there is a reason."""

    findings: list[dict[str, Any]] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    is_refused: bool = False

    def refuse(self, why: str) -> None:
        self.findings.insert(0, {"severity": "error", "kind": "", "lines": [why], "advice": ""})
        self.is_refused = True


def check(
    path: Path,
    *,
    name: str,
    format: str,
    images: Mapping[str, Size | None],
    line_format: str,
    protocols: Sequence[Protocol],
    rows: Rows,
    progress: Callable[[int, int], None],
) -> Checked:
    """Read an upload, write its detections to ``rows``, and return what is to be said of it."""
    file = DraftFile(
        name=name, kind=FileKind.RESULTS, format=format, title="entry", missing=Missing.EMPTY
    )
    known = Known(images=dict(images), line_format=line_format)
    read = check_results(Given(file, path), known, rows, progress)
    found = summaries(read.problems.found, read.problems.counts)
    checked = Checked(
        [
            {
                "severity": of.severity,
                "kind": Message(CODES.get(of.code, of.code)),
                "lines": of.lines(),
                "advice": Message(of.advice),
            }
            for of in found
        ],
        {key: read.counts[key] for key in ("results", "boxes", "empty", "absent")},
        is_refused=any(of.severity != "warning" for of in found),
    )
    if not checked.is_refused:
        _look_at_rows(checked, len(read.counts["methods"]), rows, protocols)
    return checked


def _look_at_rows(
    checked: Checked, n_methods: int, rows: Rows, protocols: Sequence[Protocol]
) -> None:
    if n_methods > 1:
        checked.refuse(_("The file holds the results of several methods. Submit one."))
    elif not checked.counts["results"]:
        checked.refuse(_("The file holds no results for images of this challenge."))
    elif any(
        abs(number) > FARTHEST_PX
        for row in rows
        for region in decode_regions(row[2])
        for number in region.points
    ):
        checked.refuse(
            _("A box is more than {n} pixels away from its image.").format(n=FARTHEST_PX)
        )
    else:
        for protocol in protocols:
            regions = (region for row in rows for region in decode_regions(row[2]))
            if lacks := lacking_in_results(protocol, regions):
                checked.refuse(
                    _("{protocol} cannot score the file: {lacks}.").format(
                        protocol=protocol.name, lacks=lacks
                    )
                )
