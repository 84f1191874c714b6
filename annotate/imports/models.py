"""Loads: drafts with their files and findings, and receipts."""

from collections.abc import Iterator, Mapping
from typing import Final

from django.conf import settings
from django.db import models
from django.db.models import Count, Q
from django.utils.timezone import localtime
from django.utils.translation import gettext_lazy

from annotate.datasets.models import Dataset
from annotate.jobs.models import Job
from protocols.formats.problems import Problem, problems_as_csv
from protocols.formats.recognition.reading import with_names

# Fields that findings and problems share.
_OF_PROBLEMS: Final = ("severity", "code", "line", "column", "found", "expected", "action")


def parts_of(text: str, start: int | None, end: int | None) -> tuple[str, str, str]:
    """Return a line in three parts, the fault in the middle one."""
    if start is None or end is None:
        return text, "", ""
    return text[:start], text[start:end], text[end:]


class FileKind(models.TextChoices):
    """The content of a file of a load, in the order in which files are read."""

    TRUTH = "truth", gettext_lazy("ground truth")
    PHOTOGRAPHS = "photographs", gettext_lazy("photographs")
    RESULTS = "results", gettext_lazy("results of a method")
    SCORES = "scores", gettext_lazy("scores of a protocol")
    USERS = "users", gettext_lazy("people")


class Missing(models.TextChoices):
    """The meaning of an image without a result file."""

    EMPTY = "empty", gettext_lazy("no boxes: the method found nothing there")
    NOT_EVALUATED = "not-evaluated", gettext_lazy("not evaluated: the method was not run on it")


class Draft(models.Model):
    """A load in progress: files are collected, checked, and loaded when the admin confirms."""

    class State(models.TextChoices):
        OPEN = "open", gettext_lazy("choosing files")
        CHECKING = "checking", gettext_lazy("being checked")
        CHECKED = "checked", gettext_lazy("checked")
        LOADING = "loading", gettext_lazy("being loaded")
        LOADED = "loaded", gettext_lazy("loaded")
        DISCARDED = "discarded", gettext_lazy("discarded")

    OVER = (State.LOADED, State.DISCARDED)

    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="drafts"
    )
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    # None: a new dataset with the name below, or people only.
    dataset = models.ForeignKey(
        Dataset, models.SET_NULL, null=True, blank=True, related_name="drafts"
    )
    name = models.CharField(max_length=120, blank=True)
    provenance = models.TextField(blank=True)
    licence = models.TextField(blank=True)
    # Version counter, to recognise work that began on an older state.
    revision = models.PositiveIntegerField(default=0)
    # State of the dataset when the files were checked against it.
    checked_against = models.JSONField(default=dict)
    # Examples and readings to draw, findings by kind, and the fit of loaded results.
    summary = models.JSONField(default=dict)
    job = models.ForeignKey(Job, models.SET_NULL, null=True, blank=True, related_name="+")
    created = models.DateTimeField(auto_now_add=True)
    changed = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("-changed", "-pk")

    def __str__(self) -> str:
        return f"Load {self.pk}"

    @property
    def is_over(self) -> bool:
        return self.state in self.OVER

    @property
    def is_at_work(self) -> bool:
        return self.state in (self.State.CHECKING, self.State.LOADING)

    @property
    def target(self) -> str:
        return self.dataset.name if self.dataset else self.name


class DraftFile(models.Model):
    """A file of a draft, with its properties.

    Uploads are stored on disk under their hash; immediate loads read their files in place.
    """

    draft = models.ForeignKey(Draft, models.CASCADE, related_name="files")
    name = models.CharField(max_length=255)
    bytes = models.PositiveBigIntegerField()
    # For a folder, the hash of its path.
    sha256 = models.CharField(max_length=64, db_index=True)
    kind = models.CharField(max_length=12, choices=FileKind)
    # Slug in protocols.formats.recognition.reading.FORMATS; empty: detected from the content.
    format = models.CharField(max_length=40, blank=True)
    # For results the method, for scores the protocol.
    title = models.CharField(gettext_lazy("name"), max_length=120, blank=True)
    # Reason for the guessed kind, as a sentence.
    reason = models.TextField(blank=True)
    missing = models.CharField(max_length=13, choices=Missing, blank=True)
    # How to read results if another reading fits far better; empty: not asked or not answered.
    reading = models.CharField(max_length=40, blank=True)
    # Whether scores above 1 are per cent; None: not asked or not answered.
    per_cent = models.BooleanField(null=True, blank=True)
    # Key of protocols.formats.recognition.reading.ENCODINGS for texts that are not UTF-8; empty: guessed.
    encoding = models.CharField(max_length=12, blank=True)
    # Result of the check: counts, the histogram, the format.
    counts = models.JSONField(default=dict)
    # Checksum of the rows read from the file, which are on disk until they are loaded.
    rows_sha256 = models.CharField(max_length=64, blank=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("pk",)
        constraints = [
            models.UniqueConstraint(
                fields=["draft", "sha256"], name="a_draft_has_the_same_file_once"
            )
        ]

    def __str__(self) -> str:
        return self.name


class FindingQuerySet(models.QuerySet["Finding"]):
    def matching(self, wanted: Mapping[str, str]) -> "FindingQuerySet":
        """Return the findings that pass a filter by severity, code and words."""
        exact = {key: wanted[key] for key in ("severity", "code") if wanted.get(key)}
        words = wanted.get("words", "").strip()
        fields = ("archive", "entry", "text", "found")
        said = Q(*((f"{field}__icontains", words) for field in fields), _connector=Q.OR)
        return self.filter(said if words else Q(), **exact)

    def counted(self) -> list[tuple[str, str, int]]:
        """Return severity, code and number of findings of each kind, the most severe first."""
        order = {severity: at for at, severity in enumerate(Finding.Severity.values)}
        kinds = self.order_by().values_list("severity", "code").annotate(n=Count("pk"))
        return sorted(kinds, key=lambda kind: (order[kind[0]], kind[1]))

    def as_csv(self) -> Iterator[str]:
        """Yield the lines of a CSV of these findings, safe to open in a spreadsheet, header first."""
        yield problems_as_csv([])
        for finding in self.iterator():
            _, _, line = problems_as_csv([finding.as_problem()]).partition("\r\n")
            yield line


class Finding(models.Model):
    """An error, question or warning from the check of a draft."""

    class Severity(models.TextChoices):
        ERROR = "error", gettext_lazy("error")
        QUESTION = "question", gettext_lazy("question")
        WARNING = "warning", gettext_lazy("warning")

    draft = models.ForeignKey(Draft, models.CASCADE, related_name="findings")
    file = models.ForeignKey(
        DraftFile, models.CASCADE, null=True, blank=True, related_name="findings"
    )
    severity = models.CharField(max_length=8, choices=Severity)
    code = models.CharField(max_length=4)
    archive = models.CharField(max_length=255)
    entry = models.TextField(blank=True)
    line = models.PositiveIntegerField(null=True)
    column = models.PositiveIntegerField(null=True)
    # The line, and where in it the fault is (from 0, end excluded).
    text = models.TextField(blank=True)
    span_start = models.PositiveIntegerField(null=True)
    span_end = models.PositiveIntegerField(null=True)
    found = models.TextField()
    expected = models.TextField()
    action = models.TextField(blank=True)

    objects = FindingQuerySet.as_manager()

    class Meta:
        ordering = ("pk",)
        indexes = [models.Index(fields=["draft", "severity", "code"], name="findings_by_code")]

    def __str__(self) -> str:
        return f"{self.severity} {self.code} in {self.archive}"

    @property
    def parts(self) -> tuple[str, str, str]:
        return parts_of(self.text, self.span_start, self.span_end)

    @property
    def wanted(self) -> str:
        """The expectation, with the names of formats."""
        return with_names(self.expected)

    @classmethod
    def of(cls, file: DraftFile, problem: Problem) -> "Finding":
        """Build the unsaved row of a problem in this file."""
        start, end = problem.span or (None, None)
        return cls(
            draft_id=file.draft_id,
            file=file,
            archive=problem.archive[:255],
            entry=problem.entry or "",
            text=problem.text or "",
            span_start=start,
            span_end=end,
            **{name: getattr(problem, name) for name in _OF_PROBLEMS},
        )

    def as_problem(self) -> Problem:
        """Return the problem this row was made from."""
        start, end = self.span_start, self.span_end
        return Problem(
            archive=self.archive,
            entry=self.entry or None,
            text=self.text or None,
            span=None if start is None or end is None else (start, end),
            **{name: getattr(self, name) for name in _OF_PROBLEMS},
        )


class Import(models.Model):
    """The receipt for one load; it exists only if everything was loaded."""

    class Kind(models.TextChoices):
        DATASET = "dataset", gettext_lazy("dataset")
        # Of images that were loaded without.
        PHOTOGRAPHS = "photographs", gettext_lazy("photographs")
        RESULTS = "results", gettext_lazy("results")
        SCORES = "scores", gettext_lazy("scores")
        USERS = "users", gettext_lazy("people")

    # None if people were loaded, or if undoing this receipt deleted the dataset.
    dataset = models.ForeignKey(
        Dataset, models.PROTECT, null=True, blank=True, related_name="imports"
    )
    dataset_name = models.CharField(max_length=120, blank=True)
    kind = models.CharField(max_length=12, choices=Kind)
    # None for a command.
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="imports"
    )
    # The draft with the check's report; None for a study's bundle.
    draft = models.ForeignKey(
        Draft, models.SET_NULL, null=True, blank=True, related_name="receipts"
    )
    created = models.DateTimeField(auto_now_add=True)
    # [{"name": ..., "sha256": ..., "bytes": ...}]
    files = models.JSONField()
    counts = models.JSONField()
    # Sentences: faults that did not prevent the load.
    warnings = models.JSONField(default=list)
    # Primary keys of the created rows: {"dataset": 1}, {"methods": [1, 2]}, {"run": 3} ... Empty for
    # a study's bundle.
    added = models.JSONField(default=dict)
    # Names of the methods whose earlier results were replaced.
    replaced = models.JSONField(default=list)
    undone = models.DateTimeField(null=True, blank=True)
    undone_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering = ("-created", "-pk")
        constraints = [
            models.CheckConstraint(
                condition=Q(undone__isnull=False) | Q(undone_by__isnull=True),
                name="who_undid_an_import_stands_with_when",
            )
        ]

    def __str__(self) -> str:
        what = f" of {self.dataset_name}" if self.dataset_name else ""
        return f"{self.get_kind_display()}{what}, {localtime(self.created):%Y-%m-%d %H:%M %Z}"
