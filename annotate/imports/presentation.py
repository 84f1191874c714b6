"""View models of the load pages: the report's groups and pictures, and the steps of a load."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from django.db.models import Count
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.datasets.drawing import picture
from annotate.datasets.models import BoxConvention, room_for
from protocols.core.regions import decode_regions
from protocols.diagnostics.readings import words_of
from protocols.formats.containers.contents import LineFormat
from protocols.formats.recognition.reading import with_names
from protocols.formats.summaries import MAX_EXAMPLES, name_of

from .models import Draft, DraftFile, FileKind, Finding, Import, parts_of
from .reports import HISTOGRAM

MAX_SHOWN_PER_CODE: Final = 200
_OPEN, _CHECKED, _LOADED = Draft.State.OPEN, Draft.State.CHECKED, Draft.State.LOADED
# The name of each step, and the states of a load in which it has a page.
_STEPS: Final = {
    "files": (gettext_lazy("Files"), (_OPEN, _CHECKED)),
    "check": (gettext_lazy("Check"), ()),
    "report": (gettext_lazy("Report"), (_CHECKED, _LOADED)),
    "confirm": (gettext_lazy("Confirm"), (_CHECKED,)),
    "receipt": (gettext_lazy("Receipt"), (_LOADED,)),
}
# The page at which a load of each state continues.
_CONTINUES: Final = {
    _OPEN: "files",
    Draft.State.CHECKING: "progress",
    _CHECKED: "report",
    Draft.State.LOADING: "progress",
}


def address(draft: Draft) -> str:
    """Return the address at which this load continues."""
    if draft.state in _CONTINUES:
        return reverse(f"imports:{_CONTINUES[Draft.State(draft.state)]}", args=[draft.pk])
    receipt = draft.receipts.order_by("pk").first()
    if receipt is None:
        return reverse("imports:start")
    return reverse("imports:receipt", args=[receipt.pk])


def steps(draft: Draft, here: str) -> Iterator[dict[str, Any]]:
    """Yield name and address of each step of a load; the address is empty without a page."""
    for step, (name, states) in _STEPS.items():
        url = ""
        if draft.state in states:
            is_receipt = step == "receipt"
            url = address(draft) if is_receipt else reverse(f"imports:{step}", args=[draft.pk])
        yield {"name": name, "url": url, "is_here": step == here}


# Warnings after which nothing has to be done: the file is read as it was meant, or as was chosen.
_NOTES: Final = ("F1", "F2", "F10", "L7", "L8", "L9", "N2")


def _headed(severity: str, code: str) -> dict[str, Any]:
    """Return the name of a kind of findings, and its severity as a word and the suffix of a class."""
    tone = "bad" if severity == Finding.Severity.ERROR else "warning"
    badge = {"word": Finding.Severity(severity).label, "tone": tone}
    if severity == Finding.Severity.WARNING and code in _NOTES:
        badge = {"word": _("note"), "tone": "note"}
    return {"severity": severity, "badge": badge, "code": code, "name": name_of(code, severity)}


def kinds(draft: Draft) -> list[dict[str, Any]]:
    """Return the findings by kind, errors first: a sentence for each file, and some examples."""
    order = list(Finding.Severity.values)
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for of in sorted(draft.summary.get("kinds", []), key=lambda of: order.index(of["severity"])):
        severity, code = of["severity"], of["code"]
        new = {"advice": of["advice"], "texts": [], "examples": []}
        kind = found.setdefault((severity, code), _headed(severity, code) | new)
        kind["texts"].append(with_names(of["text"]))
        examples = [_example(example, code, is_one=of["n"] == 1) for example in of["examples"]]
        shown = [example for example in examples if any(example)]
        kind["examples"] += shown[: MAX_EXAMPLES - len(kind["examples"])]
    return list(found.values())


def _example(example: Mapping[str, Any], code: str, *, is_one: bool) -> tuple[str, Sequence[str]]:
    """Return the place (empty if the kind's text contains it), and the parts of the line, if any."""
    place, text = example["place"], example["text"]
    # Only examples of faulty lines also state what was found.
    if not text and code.startswith("L") and example.get("found"):
        place = _("{place}: {found}").format(place=place, found=example["found"])
    parts = parts_of(text, *example["span"] or (None, None)) if text else ()
    return "" if is_one else place, parts


def groups(draft: Draft, wanted: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return findings by kind, errors first, as many of each kind as fit on a page."""
    matching = Finding.objects.filter(draft=draft).matching(wanted)
    return [
        _headed(severity, code)
        | {
            "n": n,
            "shown": matching.filter(severity=severity, code=code)[:MAX_SHOWN_PER_CODE],
        }
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


def histogram(counts: Sequence[int]) -> list[dict[str, Any]]:
    """Return the classes of a histogram, each with its share of the longest bar in per cent."""
    longest = max(counts, default=0) or 1
    return [
        {"label": label, "n": n, "percent": round(100 * n / longest)}
        for label, n in zip(_labels(), counts, strict=False)
    ]


def _labels() -> Iterator[str]:
    before = -1
    for end in HISTOGRAM:
        yield str(end) if end == before + 1 else f"{before + 1}–{end}"
        before = end
    yield _("over {n}").format(n=before)


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
    return [(_WRITTEN.get(name, name), n) for name, n in receipt.counts.items()]


def file_reports(draft: Draft) -> list[dict[str, Any]]:
    """Return the checked files with their facts, as labels with counts."""
    return [
        {
            "file": file,
            "facts": [
                (words, file.counts[key]) for key, words in _FACTS.items() if key in file.counts
            ],
            "bars": histogram(file.counts.get("histogram", [])),
        }
        for file in draft.files.all()
    ]


def renamed(draft: Draft) -> list[DraftFile]:
    """Return the files whose names were matched with those of the images."""
    notes = draft.findings.filter(code="N2", severity=Finding.Severity.WARNING)
    return list(draft.files.filter(kind=FileKind.RESULTS, pk__in=notes.values("file")))


def drawings(draft: Draft) -> list[dict[str, Any]]:
    """Return the examples: images with the most problems first, then those drawn at random."""
    files = {file.pk: file for file in draft.files.all()}
    convention = _convention(draft, files.values())
    return [
        _drawing(draft, files[example["file"]], example, convention)
        for example in draft.summary.get("examples", [])
    ]


def _drawing(
    draft: Draft, file: DraftFile, example: Mapping[str, Any], convention: str
) -> dict[str, Any]:
    is_truth = file.kind == FileKind.TRUTH
    regions = decode_regions(example["regions"])
    truth = decode_regions(example["truth"]) if example["truth"] else ()
    url, size = _photograph(draft, example)
    return {
        "image": example["image"],
        "of": file.title or file.name,
        "n_problems": example["problems"],
        "picture": picture(
            truth=regions if is_truth else truth,
            boxes=() if is_truth else regions,
            convention=convention,
            url=url,
            size=size,
        ),
        "is_truth": is_truth,
        # Drawn; the file may hold more.
        "n_regions": len(regions),
    }


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


def offers(draft: Draft) -> Iterator[dict[str, Any]]:
    """Yield the readings that fit far better, each drawn with the current one on one image."""
    files = {file.pk: file for file in draft.files.all()}
    convention = _convention(draft, files.values())
    for trial in draft.summary.get("trials", []):
        url, size = _photograph(draft, trial)
        truth = decode_regions(trial["truth"]) if trial["truth"] else ()
        both = [decode_regions(trial[name]) for name in ("as_read", "read_so")]
        # Both on the same background; otherwise they could not be compared.
        size = size or room_for([*truth, *both[1]])
        pictures = [
            picture(truth=truth, boxes=boxes, convention=convention, url=url, size=size)
            for boxes in both
        ]
        yield {
            "file": files[trial["file"]],
            "words": words_of(trial["reading"]),
            "image": trial["image"],
            # Recall and precision as words.
            "as_read": {"picture": pictures[0], "said": trial["said"][0]},
            "read_so": {"picture": pictures[1], "said": trial["said"][1]},
        }


def _photograph(draft: Draft, example: Mapping[str, Any]) -> tuple[str, tuple[int, int] | None]:
    """Return the address and size of an example's photograph, if there is one."""
    if not example["photograph"]:
        return "", None
    sha256, _, width, height, staged_in, _ = example["photograph"]
    if staged_in is None or draft.is_over:
        return reverse("datasets:image", args=[sha256]), (width, height)
    return reverse("imports:photograph", args=[draft.pk, sha256]), (width, height)


def _convention(draft: Draft, files: Iterable[DraftFile]) -> str:
    if draft.dataset is not None:
        return draft.dataset.box_convention
    truth = next((file for file in files if file.kind == FileKind.TRUTH), None)
    is_inclusive = truth is not None and truth.counts.get("line_format") == LineFormat.LTRB
    return BoxConvention.INCLUSIVE if is_inclusive else BoxConvention.POINTS
