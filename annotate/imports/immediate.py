"""Loads in one go, for commands: a draft that is checked and then loaded immediately."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Self

from django.contrib.auth.models import User
from django.db import DatabaseError
from django.utils.translation import gettext as _

from annotate.datasets.models import Dataset
from annotate.errors import Refusal
from annotate.jobs.errors import JobFailed, Superseded
from annotate.jobs.registry import Progress

from . import checking, drafts, loading, plans, staging
from .errors import NotLoaded, Question
from .models import DraftFile, FileKind, Import

# Called with the findings of a load by kind, as a draft's summary holds them.
Found = Callable[[Sequence[Mapping[str, Any]]], None]


@dataclass(frozen=True, slots=True)
class FileToLoad:
    """A file or folder on disk, with answers to its questions."""

    path: Path
    kind: str
    # The method of results, the protocol of scores.
    title: str = ""
    # Empty: detected from the content.
    format: str = ""
    # Meaning of an image without a result file; empty: such an image is a fault.
    missing: str = ""
    # Whether scores above 1 are per cent; None: such a score is a fault.
    per_cent: bool | None = None
    # Reading of the results; empty: as they are, and a reading that fits better is a fault.
    reading: str = ""
    # Of texts that are not UTF-8; empty: guessed, and texts probable in several encodings are a fault.
    encoding: str = ""


class Untold:
    """Progress that is not reported."""

    def tell(self, done: int, total: int, doing: str = "") -> None:
        pass

    def require_permission(self) -> None:
        """Allow everything, because commands need no permission."""


def load_files(
    files: Sequence[FileToLoad],
    *,
    dataset: Dataset | None = None,
    name: str = "",
    provenance: str = "",
    licence: str = "",
    replace: bool = False,
    person: User | None = None,
    progress: Progress | None = None,
    found: Found | None = None,
) -> list[Import]:
    """Load files into a dataset, or with their ground truth as a new one; return the receipts.

    ``replace`` allows loaded results to be replaced if no answer refers to them; ``found`` is
    called with the findings by kind, whether or not they stop the load.
    Raises NotLoaded with every fault of every file; then nothing is stored.
    """
    target = {"name": name, "provenance": provenance, "licence": licence}
    with LoadAtOnce(progress or Untold(), dataset=dataset, person=person, **target) as load:
        for file in files:
            load.add(file)
        if dataset is not None:
            titles = [file.title for file in files if file.kind == FileKind.RESULTS]
            plans.refuse_doubles(dataset, titles, replace=replace)
        load.check()
        if found is not None:
            found(load.draft.summary["kinds"])
        load.refuse_faults()
        if dataset is not None:
            # A file may name methods of its own.
            titles = plans.titles_of(list(load.draft.files.all()))
            plans.refuse_doubles(dataset, titles, replace=replace)
        return load.load(replace=replace)


class LoadAtOnce:
    """A draft whose files are read in place; it is discarded if it is not loaded."""

    def __init__(
        self,
        progress: Progress,
        *,
        dataset: Dataset | None,
        person: User | None = None,
        **target: str,
    ) -> None:
        if dataset is None and target["name"]:
            # A name that is too long for an address is too long for the draft, too.
            plans.name_of_new_dataset(target["name"])
        self._person = person
        self._progress = progress
        self._paths: dict[int, Path] = {}
        self.draft = drafts.open_draft(person=person, dataset=dataset, **target)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        # If the database itself failed, the draft is left to drafts.clean_old, without its rows.
        with suppress(Refusal, DatabaseError):
            draft = drafts.find(self.draft.pk)
            if not draft.is_over:
                drafts.discard(draft=draft)
        staging.forget(self.draft.pk)

    def add(self, file: FileToLoad) -> DraftFile:
        if file.kind in (FileKind.RESULTS, FileKind.SCORES):
            what = "method" if file.kind == FileKind.RESULTS else "protocol"
            plans.named(file.title, what)
        fields = asdict(file)
        added = drafts.add_path(draft=self.draft, path=fields.pop("path"), **fields)
        self._paths[added.pk] = file.path
        return added

    def check(self) -> None:
        """Read the files; findings are stored with the draft."""
        with _failing_as_refusal():
            checking.check(drafts.begin_check(draft=self.draft), self._progress, self._paths)
        self.draft.refresh_from_db()

    def refuse_faults(self) -> None:
        """Raise NotLoaded if anything is wrong: so are open questions, and readings that never fit."""
        found = [finding.as_problem() for finding in self.draft.findings.all()]
        is_misread = self.draft.summary["misread"]
        problems = [
            replace(of, severity="error")
            if of.severity == "question" or (is_misread and of.code == "F2")
            else of
            for of in found
        ]
        if any(problem.severity == "error" for problem in problems):
            refusal = NotLoaded.because_of(problems)
            if not any(problem.severity == "error" for problem in found):
                refusal.questions = [
                    Question(self._paths[asked.file.pk], asked.field, str(problem), asked.offered)
                    for asked in plans.questions(self.draft)
                    if not asked.is_answered
                    for problem in [asked.finding.as_problem()]
                ]
            raise refusal

    def load(self, *, replace: bool) -> list[Import]:
        """Load the checked files; return the receipts."""
        begun = drafts.begin_load(draft=self.draft, person=self._person, replace=replace)
        with _failing_as_refusal():
            loading.load(begun, self._progress, self._paths)
        return list(self.draft.receipts.order_by("pk"))


@contextmanager
def _failing_as_refusal() -> Iterator[None]:
    """Re-raise a failed job as a refusal, for callers that wait for the job."""
    try:
        yield
    except JobFailed as failure:
        raise NotLoaded(str(failure)) from failure
    except Superseded as gone:
        raise NotLoaded(_("Another user changed or discarded this load meanwhile.")) from gone
