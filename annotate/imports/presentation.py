"""View models of the load pages: the report's groups and pictures, and the steps of a load."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Count
from django.urls import reverse

from annotate.datasets.drawing import Picture, picture
from annotate.datasets.models import BoxConvention
from protocols.core.regions import decode_regions
from protocols.formats.contents import LineFormat
from protocols.formats.problems import CODES

from .checking import HISTOGRAM
from .models import Draft, DraftFile, FileKind, Finding

MAX_SHOWN_PER_CODE: Final = 200
STEPS: Final = (
    ("files", "Files"),
    ("check", "Check"),
    ("report", "Report"),
    ("confirm", "Confirm"),
    ("receipt", "Receipt"),
)


def address(draft: Draft) -> str:
    """Return where this load goes on."""
    if draft.state == Draft.State.OPEN:
        return reverse("imports:files", args=[draft.pk])
    if draft.is_at_work:
        return reverse("imports:progress", args=[draft.pk])
    if draft.state == Draft.State.CHECKED:
        return reverse("imports:report", args=[draft.pk])
    receipt = draft.receipts.order_by("pk").first()
    if receipt is None:
        return reverse("imports:start")
    return reverse("imports:receipt", args=[receipt.pk])


@dataclass(frozen=True, slots=True)
class Step:
    name: str
    # Empty where it cannot be gone to yet.
    url: str
    is_here: bool


def steps(draft: Draft, here: str) -> list[Step]:
    """Return the steps of a load, those that can be gone to with their address."""
    is_open = draft.state in (Draft.State.OPEN, Draft.State.CHECKED)
    was_checked = draft.state in (Draft.State.CHECKED, Draft.State.LOADED)
    urls = {
        "files": reverse("imports:files", args=[draft.pk]) if is_open else "",
        "check": "",
        "report": reverse("imports:report", args=[draft.pk]) if was_checked else "",
        "confirm": (
            reverse("imports:confirm", args=[draft.pk])
            if draft.state == Draft.State.CHECKED
            else ""
        ),
        "receipt": address(draft) if draft.state == Draft.State.LOADED else "",
    }
    return [Step(name, urls[step], step == here) for step, name in STEPS]


@dataclass(frozen=True, slots=True)
class Shown:
    """One finding as the page shows it: the line in three parts, the middle one at fault."""

    finding: Finding
    before: str
    fault: str
    after: str


@dataclass(frozen=True, slots=True)
class Group:
    """The findings of one code and severity."""

    severity: str
    code: str
    name: str
    n: int
    shown: Sequence[Shown]


def groups(draft: Draft, wanted: Mapping[str, str]) -> list[Group]:
    """Return findings by kind, errors first; of each kind as many as a page holds."""
    matching = Finding.objects.filter(draft=draft).matching(wanted)
    return [
        Group(
            severity=severity,
            code=code,
            name=CODES.get(code, code),
            n=n,
            shown=[
                shown(finding)
                for finding in matching.filter(severity=severity, code=code)[:MAX_SHOWN_PER_CODE]
            ],
        )
        for severity, code, n in matching.counted()
    ]


def left_out(draft: Draft) -> list[tuple[str, int, int]]:
    """Return the codes the report does not list in full: code, number listed, number there are."""
    listed = dict(draft.findings.order_by().values_list("code").annotate(n=Count("pk")))
    there: Counter[str] = Counter()
    for file in draft.files.all():
        there.update(file.counts.get("codes", {}))
    counts = ((code, listed.get(code, 0), n) for code, n in sorted(there.items()))
    return [(code, n_listed, n) for code, n_listed, n in counts if n > n_listed]


def shown(finding: Finding) -> Shown:
    start, end, text = finding.span_start, finding.span_end, finding.text
    if start is None or end is None:
        return Shown(finding, text, "", "")
    return Shown(finding, text[:start], text[start:end], text[end:])


@dataclass(frozen=True, slots=True)
class Bar:
    """One class of a histogram: how many images have so many boxes."""

    label: str
    n: int
    # Of the longest bar, for drawing.
    percent: int


def histogram(counts: Sequence[int]) -> list[Bar]:
    longest = max(counts, default=0) or 1
    labels = list(_labels())
    labelled = zip(labels, counts, strict=False)
    return [Bar(label, n, round(100 * n / longest)) for label, n in labelled]


def _labels() -> Iterator[str]:
    before = -1
    for end in HISTOGRAM:
        yield str(end) if end == before + 1 else f"{before + 1}–{end}"
        before = end
    yield f"over {before}"


@dataclass(frozen=True, slots=True)
class FileReport:
    """The facts of one checked file."""

    file: DraftFile
    facts: Sequence[tuple[str, Any]]
    bars: Sequence[Bar]


_FACTS: Final = {
    "images": "images",
    "regions": "regions",
    "ignored": "ignored",
    "photographs": "photographs",
    "results": "images with a file",
    "boxes": "boxes",
    "empty": "files without boxes",
    "absent": "images without a file",
    "scores": "scores",
    "missing": "results without a score",
    "people": "people",
    "studies": "studies",
}


def file_reports(draft: Draft) -> list[FileReport]:
    reports = []
    for file in draft.files.all():
        facts = [(words, file.counts[key]) for key, words in _FACTS.items() if key in file.counts]
        reports.append(FileReport(file, facts, histogram(file.counts.get("histogram", []))))
    return reports


@dataclass(frozen=True, slots=True)
class Drawing:
    """An example of what was read, drawn."""

    image: str
    of: str
    n_problems: int
    picture: Picture
    is_truth: bool
    # A file that holds more than is drawn.
    n_regions: int


def drawings(draft: Draft) -> list[Drawing]:
    """Return the examples: images with most problems first, then those drawn by chance."""
    files = {file.pk: file for file in draft.files.all()}
    convention = _convention(draft, list(files.values()))
    return [
        _drawing(draft, files[example["file"]], example, convention)
        for example in draft.summary.get("examples", [])
        if example["file"] in files
    ]


def _convention(draft: Draft, files: Sequence[DraftFile]) -> str:
    if draft.dataset is not None:
        return draft.dataset.box_convention
    truth = next((file for file in files if file.kind == FileKind.TRUTH), None)
    is_inclusive = truth is not None and truth.counts.get("line_format") == LineFormat.LTRB
    return BoxConvention.INCLUSIVE if is_inclusive else BoxConvention.POINTS


def _drawing(draft: Draft, file: DraftFile, example: Mapping[str, Any], convention: str) -> Drawing:
    regions = decode_regions(example["regions"])
    is_truth = file.kind == FileKind.TRUTH
    truth = regions
    if not is_truth:
        truth = decode_regions(example["truth"]) if example["truth"] else ()
    url, size = "", None
    if example["photograph"]:
        sha256, _, width, height, staged_in, _ = example["photograph"]
        size = width, height
        if staged_in is None or draft.is_over:
            url = reverse("datasets:image", args=[sha256])
        else:
            url = reverse("imports:photograph", args=[draft.pk, sha256])
    return Drawing(
        image=example["image"],
        of=file.title or file.name,
        n_problems=example["problems"],
        picture=picture(
            truth=truth,
            boxes=() if is_truth else regions,
            convention=convention,
            url=url,
            size=size,
        ),
        is_truth=is_truth,
        n_regions=len(regions),
    )
