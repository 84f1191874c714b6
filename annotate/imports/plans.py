"""The effect of confirming a load, its open questions, and the obstacles to it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotate.datasets.mending import mended
from annotate.datasets.models import Dataset, Method
from annotate.names import address_of, refuse_unseen
from annotate.studies.models import Study
from protocols.diagnostics.readings import AS_NAMED, AS_READ, STORED, UPRIGHT, words_of
from protocols.formats.problems import quoted
from protocols.formats.recognition.reading import ENCODINGS, FORMATS, named_formats
from text_rankings.base.counts import some_of

from .errors import NotLoaded
from .models import Draft, DraftFile, FileKind, Finding, Missing

# The field of a file that answers a question of this code.
_FIELDS: Final = {
    "F1": "format",
    "F2": "reading",
    "F7": "encoding",
    "N4": "missing",
    "S2": "per_cent",
}
# Questions that become warnings when answered: missing files, per-cent scores, readings, encodings.
_ASKED: Final = ("N4", "S2", "F2", "F7")
_MAX_NAMED: Final = 8
_MAX_NAME: Final = 120
# Taken below data/, where the address of a dataset would be.
_TAKEN_ADDRESSES: Final = {"images", "load"}
_UNNAMED: Final = {
    "dataset": gettext_lazy(
        "The name of the dataset, {name}, needs letters or digits, and at most {n} characters."
    ),
    "method": gettext_lazy(
        "The name of the method, {name}, needs letters or digits, and at most {n} characters."
    ),
    "protocol": gettext_lazy(
        "The name of the protocol, {name}, needs letters or digits, and at most {n} characters."
    ),
}


@dataclass(frozen=True)
class OpenQuestion:
    """A question that only the user can answer, with the answer so far."""

    finding: Finding
    file: DraftFile

    @property
    def choices(self) -> list[tuple[str, str]]:
        """Possible answers with their labels; empty if the answer is yes or no."""
        if self.finding.code == "N4":
            return [(value, str(words)) for value, words in Missing.choices]
        if self.finding.code == "F1":
            return [choice for of in formats(self.finding) for choice in of]
        if self.finding.code == "F2":
            return readings(self.finding.draft, self.file)
        if self.finding.code == "F7":
            return encodings(self.file)
        return []

    @property
    def offered(self) -> list[tuple[str, str]]:
        """The choices that a sentence offers: of formats, those that the finding names."""
        return formats(self.finding)[0] if self.finding.code == "F1" else self.choices

    @property
    def field(self) -> str:
        """The field of the file that holds the answer."""
        return _FIELDS[self.finding.code]

    @property
    def is_answered(self) -> bool:
        """Whether an answer was given; the file was read again after it."""
        return self.finding.severity != Finding.Severity.QUESTION


def formats(finding: Finding) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return the formats that a finding names, and all others that fit the file, each with its name."""
    named = named_formats(finding.expected)
    fitting = finding.file.counts.get("formats", ()) if finding.file else ()
    first, last = (
        [(slug, FORMATS[slug].name) for slug in slugs]
        for slugs in (dict.fromkeys(named), [of for of in fitting if of not in named])
    )
    return first, last


def readings(draft: Draft, file: DraftFile) -> list[tuple[str, str]]:
    """Return the readings to choose from, each with its label."""
    tried = [of["reading"] for of in draft.summary.get("trials", []) if of["file"] == file.pk]
    if file.kind != FileKind.RESULTS:
        return _frames(file, tried)
    # A reading that hardly fits is no answer if another one fits.
    fitting = file.counts.get("fitting", "")
    said = "" if fitting and draft.summary["misread"] else file.reading
    slugs = dict.fromkeys(slug for slug in (AS_READ, *tried, fitting, said) if slug)
    labels = {slug: words_of(slug) for slug in slugs}
    if AS_NAMED in labels:
        labels[AS_READ] = _("for the images that the names of its files fit")
    return list(labels.items())


def _frames(file: DraftFile, tried: Sequence[str]) -> list[tuple[str, str]]:
    """Return the frames of a ground truth's boxes, or what may be done with WebP photographs."""
    if file.kind == FileKind.PHOTOGRAPHS:
        as_read = _("as they are stored, as browsers show them")
        return [(AS_READ, as_read), (STORED, words_of(STORED))]
    # Of pixels counted from below, the other reading is that on upright photographs.
    frames = (STORED, UPRIGHT) if UPRIGHT in tried else (UPRIGHT, STORED)
    return [(of, words_of(of)) for of in frames]


def encodings(file: DraftFile) -> list[tuple[str, str]]:
    """Return the encodings to choose from, each with a sample of the file's texts."""
    samples = file.counts.get("encodings", {}).items()
    return [(slug, f"{ENCODINGS[slug]}: {sample}") for slug, sample in samples]


def n_faults(draft: Draft) -> int:
    """Return the number of faults found, including those counted but not listed."""
    listed = draft.findings.filter(severity=Finding.Severity.ERROR).count()
    kinds = draft.summary.get("kinds", [])
    counted = sum(int(of["n"]) for of in kinds if of["severity"] == Finding.Severity.ERROR)
    return max(listed, counted)


def questions(draft: Draft) -> list[OpenQuestion]:
    """Return the questions of the check, with earlier answers; answers may be changed."""
    asked = Q(severity=Finding.Severity.QUESTION)
    # Answered before the last check, which turned them into warnings.
    answered = Q(severity=Finding.Severity.WARNING, code__in=_ASKED)
    answered &= ~Q(file__kind=FileKind.PHOTOGRAPHS)
    findings = draft.findings.filter(asked | answered).select_related("file", "draft")
    return [
        OpenQuestion(finding, finding.file)
        for finding in findings
        if finding.file is not None
        and (finding.code != "F7" or len(finding.file.counts.get("encodings", ())) > 1)
    ]


@dataclass
class Plan:
    """The effect of confirming and the obstacles to it, as sentences and parts of sentences."""

    added: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    left_alone: list[str] = field(default_factory=list)
    # Empty if the load is possible.
    obstacles: list[str] = field(default_factory=list)


def plan(draft: Draft) -> Plan:
    """Return what confirming this load would add, replace and leave alone."""
    planned = Plan()
    files = list(draft.files.all())
    for file in sorted(files, key=lambda file: file.kind != FileKind.TRUTH):
        if file.kind == FileKind.RESULTS:
            _plan_results(planned, draft.dataset, file)
        else:
            planned.added.append(_words_of(file, draft))
    if draft.dataset is not None:
        planned.left_alone += _left_alone(draft.dataset, files)
    planned.obstacles[:0] = _obstacles(draft, titles_of(files))
    return planned


def titles_of(files: Sequence[DraftFile]) -> list[str]:
    """Return the methods whose results the checked files hold."""
    return [title for file in files for title in file.counts.get("methods", {})]


def _words_of(file: DraftFile, draft: Draft) -> str:
    number = file.counts.get
    if file.kind == FileKind.TRUTH:
        return ngettext(
            "the dataset {dataset}: {n} image with {regions} regions, {ignored} of them ignored",
            "the dataset {dataset}: {n} images with {regions} regions, {ignored} of them ignored",
            number("images", 0),
        ).format(
            dataset=quoted(draft.name),
            n=number("images", 0),
            regions=number("regions", 0),
            ignored=number("ignored", 0),
        )
    if file.kind == FileKind.PHOTOGRAPHS:
        words = ngettext(
            "{n} photograph from {file}", "{n} photographs from {file}", number("photographs", 0)
        ).format(n=number("photographs", 0), file=file.name)
        n_turned = number("turned", 0)
        return (
            words
            if not n_turned
            else _("{words}, {n} turned upright").format(words=words, n=n_turned)
        )
    if file.kind == FileKind.SCORES:
        return ngettext(
            "{n} score of {protocol}", "{n} scores of {protocol}", number("scores", 0)
        ).format(n=number("scores", 0), protocol=quoted(file.title))
    return ngettext("{n} person from {file}", "{n} people from {file}", number("people", 0)).format(
        n=number("people", 0), file=file.name
    )


def _plan_results(planned: Plan, dataset: Dataset | None, file: DraftFile) -> None:
    for title, counts in file.counts.get("methods", {}).items():
        words = _words_of_results(counts, file.missing)
        method = method_named(dataset, title) if dataset else None
        if method is None or not method.results.exists():
            planned.added.append(
                _("results of {method}: {words}").format(method=quoted(title), words=words)
            )
            continue
        planned.replaced.append(_words_of_replacement(method, words))
        studies = studies_with_answers_on(method)
        if studies:
            planned.obstacles.append(
                _(
                    "Answers refer to the results of {method} ({studies}), so they cannot be replaced. "
                    "Give the new results another name."
                ).format(
                    method=quoted(method.name),
                    studies=", ".join(study.name for study in studies),
                )
            )


def _words_of_results(counts: Mapping[str, int], missing: str) -> str:
    boxes, n_images = counts["boxes"], counts["results"]
    words = _("{boxes} on {images}").format(
        boxes=ngettext("{n} box", "{n} boxes", boxes).format(n=boxes),
        images=ngettext("{n} image", "{n} images", n_images).format(n=n_images),
    )
    absent = counts["absent"]
    if absent and missing == Missing.EMPTY:
        return _("{words}, and no boxes on {n} more").format(words=words, n=absent)
    if absent and missing == Missing.NOT_EVALUATED:
        return _("{words}, not evaluated on {n}").format(words=words, n=absent)
    return words


def _words_of_replacement(method: Method, words: str) -> str:
    runs = method.results.filter(scores__isnull=False).values("scores__run").distinct().count()
    name = quoted(method.name)
    if not runs:
        return _("results of {method}: {words}").format(method=name, words=words)
    return ngettext(
        "results of {method}: {words}; their scores from {n} protocol run are removed with them",
        "results of {method}: {words}; their scores from {n} protocol runs are removed with them",
        runs,
    ).format(method=name, words=words, n=runs)


def _left_alone(dataset: Dataset, files: Sequence[DraftFile]) -> Iterator[str]:
    n_images = dataset.images.count()
    yield ngettext(
        "the {n} image of {dataset} and its ground truth",
        "the {n} images of {dataset} and their ground truth",
        n_images,
    ).format(n=n_images, dataset=quoted(dataset.name))
    named = [method_named(dataset, title) for title in titles_of(files)]
    touched = {method.pk for method in named if method is not None}
    others = [method.name for method in dataset.methods.all() if method.pk not in touched]
    if others:
        yield ngettext(
            "{n} other method: {names}", "{n} other methods: {names}", len(others)
        ).format(n=len(others), names=some_of(others, _MAX_NAMED))
    if n_runs := dataset.runs.count():
        yield ngettext("{n} protocol run", "{n} protocol runs", n_runs).format(n=n_runs)


def _obstacles(draft: Draft, titles: Sequence[str]) -> Iterator[str]:
    try:
        refuse_doubles(None, titles, replace=True)
    except NotLoaded as refusal:
        yield str(refusal)
    if n_errors := n_faults(draft):
        yield ngettext(
            "{n} fault must be fixed in the files first.",
            "{n} faults must be fixed in the files first.",
            n_errors,
        ).format(n=n_errors)
    n_open = sum(not question.is_answered for question in questions(draft))
    if n_open:
        yield (
            ngettext(
                "{n} question waits for an answer in the report.",
                "{n} questions wait for an answer in the report.",
                n_open,
            ).format(n=n_open)
        )


def named(name: str, what: str) -> tuple[str, str]:
    """Return a stripped name, and the slug that becomes part of addresses."""
    name = name.strip()
    refuse_unseen(name, NotLoaded)
    slug = address_of(name)
    if not slug or len(name) > _MAX_NAME:
        raise NotLoaded(_UNNAMED[what].format(name=quoted(name), n=_MAX_NAME))
    return name, slug


def name_of_new_dataset(name: str) -> tuple[str, str]:
    """Return name and slug; raise NotLoaded if they are taken or invalid."""
    name, slug = named(name, "dataset")
    if slug in _TAKEN_ADDRESSES:
        raise NotLoaded(
            _("{name} cannot be the name of a dataset. Choose another.").format(name=quoted(name))
        )
    if Dataset.objects.filter(Q(slug=slug) | Q(name=name)).exists():
        raise NotLoaded(_("There is a dataset named {name} already.").format(name=quoted(name)))
    return name, slug


def method_named(dataset: Dataset, title: str) -> Method | None:
    """Return the dataset's method with this name or its slug, if there is one."""
    name, slug = named(title, "method")
    return dataset.methods.filter(slug=slug).first() or dataset.methods.filter(name=name).first()


def refuse_doubles(dataset: Dataset | None, titles: Iterable[str], *, replace: bool) -> None:
    """Raise NotLoaded if two files are for one method, or loaded results must not be replaced."""
    seen: set[str] = set()
    for title in titles:
        name, slug = named(title, "method")
        method = method_named(dataset, title) if dataset else None
        # A bundle may have brought a method whose address is not that of its name.
        slug = method.slug if method else slug
        if slug in seen:
            raise NotLoaded(
                _("Two of the archives are for the method {name}.").format(name=quoted(name))
            )
        seen.add(slug)
        if method is None or not method.results.exists():
            continue
        if not replace:
            raise NotLoaded(
                _("Results of {method} are loaded already.").format(method=quoted(method.name))
            )
        if studies := studies_with_answers_on(method):
            raise NotLoaded(
                _(
                    "Answers in these studies refer to the results of {method}, which therefore cannot be "
                    "replaced: {studies}. Load the new results under another name."
                ).format(
                    method=quoted(method.name), studies=", ".join(study.name for study in studies)
                )
            )


def studies_with_answers_on(method: Method) -> QuerySet[Study]:
    """Return the studies in which an annotator was shown a result of this method."""
    left = Q(assignments__screens__left__method=method)
    right = Q(assignments__screens__right__method=method)
    return Study.objects.filter(left | right).distinct()


def fingerprint(dataset: Dataset | None) -> dict[str, int | None]:
    """Return a fingerprint of the dataset's contents, which each load, undo and correction changes."""
    if dataset is None:
        return {}
    receipts = dataset.imports.all()
    return {
        "newest": receipts.order_by("-pk").values_list("pk", flat=True).first(),
        "undone": receipts.filter(undone__isnull=False).count(),
        "images": dataset.images.count(),
        "methods": dataset.methods.count(),
        "mended": mended(dataset),
    }
