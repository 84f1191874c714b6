"""View models of the load pages: the report's groups and pictures, and the steps of a load."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django.db.models import Count
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.datasets.drawing import Picture, picture
from annotate.datasets.models import BoxConvention, room_for
from protocols.core.regions import decode_regions
from protocols.diagnostics.readings import words_of
from protocols.formats.containers.contents import LineFormat
from protocols.formats.recognition.reading import with_names
from protocols.formats.summaries import MAX_EXAMPLES, name_of

from .models import Draft, DraftFile, FileKind, Finding, Import
from .reports import HISTOGRAM

MAX_SHOWN_PER_CODE: Final = 200
STEPS: Final = (
    ("files", gettext_lazy("Files")),
    ("check", gettext_lazy("Check")),
    ("report", gettext_lazy("Report")),
    ("confirm", gettext_lazy("Confirm")),
    ("receipt", gettext_lazy("Receipt")),
)


def address(draft: Draft) -> str:
    """Return the address at which this load continues."""
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
    # Empty if the step is not available yet.
    url: str
    is_here: bool


def steps(draft: Draft, here: str) -> list[Step]:
    """Return the steps of a load, with an address for those that are available."""
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
    return [Step(str(name), urls[step], step == here) for step, name in STEPS]


@dataclass(frozen=True, slots=True)
class Shown:
    """One finding as the page shows it: a line in three parts, with the fault in the middle one."""

    finding: Finding
    before: str
    fault: str
    after: str

    @property
    def expected(self) -> str:
        return with_names(self.finding.expected)


@dataclass(frozen=True, slots=True)
class Badge:
    """The severity of findings: a word, and the suffix of its CSS class."""

    word: str
    tone: str


@dataclass(frozen=True, slots=True)
class Kind:
    """Findings of one kind, summarised: a sentence for each file, and some examples."""

    severity: str
    badge: Badge
    code: str
    name: str
    advice: str
    texts: list[str] = field(default_factory=list)
    # Its position (empty if the text contains it), and the line in three parts; the fault is in the
    # middle one.
    examples: list[tuple[str, str, str, str]] = field(default_factory=list)


def kinds(draft: Draft) -> list[Kind]:
    """Return the findings by kind, errors first."""
    order = list(Finding.Severity.values)
    found: dict[tuple[str, str], Kind] = {}
    for of in sorted(draft.summary.get("kinds", []), key=lambda of: order.index(of["severity"])):
        severity, code = of["severity"], of["code"]
        kind = found.setdefault(
            (severity, code),
            Kind(
                severity,
                _badge(severity, code),
                code,
                name_of(code, severity),
                of["advice"],
            ),
        )
        kind.texts.append(with_names(of["text"]))
        # Only examples of faulty lines also state what was found.
        told_so = {"is_one": of["n"] == 1, "is_shape": code.startswith("L")}
        examples = [_example(example, **told_so) for example in of["examples"]]
        shown = [example for example in examples if any(example)]
        kind.examples.extend(shown[: MAX_EXAMPLES - len(kind.examples)])
    return list(found.values())


# Warnings after which nothing has to be done: the file is read as it was meant, or as was chosen.
_NOTES: Final = ("F1", "F2", "F10", "L7", "L8", "L9", "N2")


def _badge(severity: str, code: str) -> Badge:
    if severity == Finding.Severity.WARNING and code in _NOTES:
        return Badge(_("note"), "note")
    tone = "bad" if severity == Finding.Severity.ERROR else "warning"
    return Badge(str(Finding.Severity(severity).label), tone)


def _example(
    example: Mapping[str, Any], *, is_one: bool, is_shape: bool
) -> tuple[str, str, str, str]:
    text, (start, end) = example["text"] or "", example["span"] or (0, 0)
    place = example["place"]
    if not text and is_shape and example.get("found"):
        place = _("{place}: {found}").format(place=place, found=example["found"])
    return (
        "" if is_one else place,
        text[:start],
        text[start:end],
        text[end:],
    )


@dataclass(frozen=True, slots=True)
class Group:
    """The findings of one code and severity."""

    severity: str
    badge: Badge
    code: str
    name: str
    n: int
    shown: Sequence[Shown]


def groups(draft: Draft, wanted: Mapping[str, str]) -> list[Group]:
    """Return findings by kind, errors first, as many of each kind as fit on a page."""
    matching = Finding.objects.filter(draft=draft).matching(wanted)
    return [
        Group(
            severity=severity,
            badge=_badge(severity, code),
            code=code,
            name=name_of(code, severity),
            n=n,
            shown=[
                shown(finding)
                for finding in matching.filter(severity=severity, code=code)[:MAX_SHOWN_PER_CODE]
            ],
        )
        for severity, code, n in matching.counted()
    ]


def left_out(draft: Draft) -> list[tuple[str, int, int]]:
    """Return the codes that the report does not list in full: code, number listed, total number."""
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
    """One class of a histogram: the number of images with this many boxes."""

    label: str
    n: int
    # Relative to the longest bar, for drawing.
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
    yield _("over {n}").format(n=before)


@dataclass(frozen=True, slots=True)
class FileReport:
    """The facts of one checked file."""

    file: DraftFile
    facts: Sequence[tuple[str, Any]]
    bars: Sequence[Bar]


_FACTS: Final = {
    "images": gettext_lazy("images"),
    "regions": gettext_lazy("regions"),
    "ignored": gettext_lazy("ignored"),
    "photographs": gettext_lazy("photographs"),
    "results": gettext_lazy("images with a file"),
    "boxes": gettext_lazy("boxes"),
    "empty": gettext_lazy("files without boxes"),
    "absent": gettext_lazy("images without a file"),
    "scores": gettext_lazy("scores"),
    "missing": gettext_lazy("results without a score"),
    "people": gettext_lazy("people"),
    "studies": gettext_lazy("studies"),
}


# For receipts: the written rows.
_WRITTEN: Final = _FACTS | {
    "protocol": gettext_lazy("protocol"),
    "truth": gettext_lazy("images with ground truth"),
    "methods": gettext_lazy("methods"),
    "results": gettext_lazy("results"),
    "runs": gettext_lazy("protocol runs"),
    "assignments": gettext_lazy("images given to people"),
    "screens": gettext_lazy("pairs shown"),
    "judgements": gettext_lazy("answers"),
    "skips": gettext_lazy("pairs skipped"),
    "withdrawals": gettext_lazy("answers undone"),
    "exclusions": gettext_lazy("decisions whose rankings count"),
    "members": gettext_lazy("people who take part now"),
    "members_already": gettext_lazy("people who took part before"),
}


def written(receipt: Import) -> list[tuple[str, Any]]:
    """Return what a load wrote, as labels with counts; for results, the counts are by method."""
    return [(str(_WRITTEN.get(name, name)), n) for name, n in receipt.counts.items()]


def file_reports(draft: Draft) -> list[FileReport]:
    reports = []
    for file in draft.files.all():
        facts = [
            (str(words), file.counts[key]) for key, words in _FACTS.items() if key in file.counts
        ]
        reports.append(FileReport(file, facts, histogram(file.counts.get("histogram", []))))
    return reports


def renamed(draft: Draft) -> list[DraftFile]:
    """Return the files whose names were matched with those of the images."""
    notes = draft.findings.filter(code="N2", severity=Finding.Severity.WARNING)
    return list(draft.files.filter(kind=FileKind.RESULTS, pk__in=notes.values("file")))


@dataclass(frozen=True, slots=True)
class Drawing:
    """An example of the read data, as a drawing."""

    image: str
    of: str
    n_problems: int
    picture: Picture
    is_truth: bool
    # Number of regions drawn; the file may hold more.
    n_regions: int


def drawings(draft: Draft) -> list[Drawing]:
    """Return the examples: images with the most problems first, then those drawn at random."""
    files = {file.pk: file for file in draft.files.all()}
    convention = _convention(draft, list(files.values()))
    return [
        _drawing(draft, files[example["file"]], example, convention)
        for example in draft.summary.get("examples", [])
        if example["file"] in files
    ]


def fit_rows(draft: Draft) -> list[dict[str, Any]]:
    """Return the fits of this load's result sets to the ground truth, then of those in the dataset.

    A recall, precision, touched or outside of None is undefined or unknown.
    """
    new = {
        method: fit
        for file in draft.files.all()
        for method, fit in file.counts.get("fits", {}).items()
    }
    beside = draft.summary.get("compared", {}).get("beside", {})
    return [
        {"method": method, "is_loaded": is_loaded, **fit}
        for is_loaded, fits in ((False, new), (True, beside))
        for method, fit in fits.items()
    ]


@dataclass(frozen=True, slots=True)
class Offered:
    """A reading of a file that fits far better: it and the current one, drawn on one image."""

    file: DraftFile
    words: str
    image: str
    # Recall and precision as words.
    said_as_read: str
    said_read_so: str
    as_read: Picture
    read_so: Picture


def offers(draft: Draft) -> list[Offered]:
    files = {file.pk: file for file in draft.files.all()}
    convention = _convention(draft, list(files.values()))
    offered = []
    for trial in draft.summary.get("trials", []):
        url, size = _photograph(draft, trial)
        truth = decode_regions(trial["truth"]) if trial["truth"] else ()
        pictures = [decode_regions(trial[name]) for name in ("as_read", "read_so")]
        # Both on the same background; otherwise they could not be compared.
        size = size or room_for([*truth, *pictures[1]])
        one, other = (
            picture(truth=truth, boxes=boxes, convention=convention, url=url, size=size)
            for boxes in pictures
        )
        file = files[trial["file"]]
        said, said_so = trial["said"]
        reading = words_of(trial["reading"])
        offered.append(Offered(file, reading, trial["image"], said, said_so, one, other))
    return offered


def _photograph(draft: Draft, example: Mapping[str, Any]) -> tuple[str, tuple[int, int] | None]:
    """Return the address and size of an example's photograph, if there is one."""
    if not example["photograph"]:
        return "", None
    sha256, _, width, height, staged_in, _ = example["photograph"]
    if staged_in is None or draft.is_over:
        return reverse("datasets:image", args=[sha256]), (width, height)
    return reverse("imports:photograph", args=[draft.pk, sha256]), (width, height)


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
    url, size = _photograph(draft, example)
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
