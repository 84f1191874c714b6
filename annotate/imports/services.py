"""Loading files at once, as commands and the demo do: everything or nothing, with a receipt.

Pages and the API load by way of a draft (`drafts.py`); both read (`checking.py`) and write
(`publishing.py`) the same way.
"""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import file_digest
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Final

from django.contrib.auth.models import User
from django.db import transaction

from annotate.audit.models import Act
from annotate.audit.services import record
from annotate.datasets.models import Dataset
from protocols.formats.archives import Source, source_name
from protocols.formats.problems import Problem, counted, quoted

from . import checking, people, publishing
from .checking import Checked, Given, Known, Progress
from .errors import NotLoaded
from .models import FileKind, Import, Missing
from .photographs import Keeper, Photograph, keep_photographs
from .staging import Rows

EMPTY: Final = Missing.EMPTY.value
NOT_EVALUATED: Final = Missing.NOT_EVALUATED.value
MAX_WARNINGS: Final = 200
_ACTS: Final = {
    Import.Kind.DATASET: Act.DATASET_LOADED,
    Import.Kind.RESULTS: Act.RESULTS_LOADED,
    Import.Kind.SCORES: Act.SCORES_LOADED,
    Import.Kind.USERS: Act.PEOPLE_LOADED,
}


@dataclass(frozen=True, slots=True)
class ResultArchive:
    """A zip of results and the name of the method they are from."""

    source: Source
    method: str


def load_dataset(
    *,
    name: str,
    truth: Source,
    images: Source | None = None,
    line_format: str | None = None,
    provenance: str = "",
    licence: str = "",
    person: User | None = None,
    progress: Progress | None = None,
) -> Import:
    """Load ground truth and, where given, a folder or zip of photographs as a new dataset.

    Raises NotLoaded with every fault found; then nothing is stored, no photograph either.
    """
    publishing.name_of_new_dataset(name)
    with _rows_beside() as rows_of:
        given = Given(truth, FileKind.TRUTH, format=line_format)
        checked = [checking.check_truth(given, rows_of("truth"))]
        if images is not None and not checked[0].found.has_errors:
            given = Given(images, FileKind.PHOTOGRAPHS)
            truth_rows = checked[0].rows
            checked.append(
                checking.check_photographs(given, truth_rows, rows_of("photographs"), progress)
            )
        refuse_faults(checked)
        photographs = checked[1] if len(checked) > 1 else None
        return publish_dataset(
            name=name,
            truth=checked[0],
            photographs=photographs,
            provenance=provenance,
            licence=licence,
            person=person,
        )


def publish_dataset(
    *,
    name: str,
    truth: Checked,
    photographs: Checked | None,
    provenance: str,
    licence: str,
    person: User | None,
    progress: Progress | None = None,
    keeper: Keeper | None = None,
    **receipt: Any,
) -> Import:
    """Write what was checked. Photographs are stored first, and taken back if anything fails.

    A caller whose transaction goes on gives the ``keeper`` and takes back itself.
    """
    own = keeper or Keeper()
    try:
        of_image = {}
        if photographs is not None:
            of_image = {row[0]: Photograph(*row[1:5]) for row in photographs.rows}
            wanted = {photograph.sha256: photograph for photograph in of_image.values()}
            keep_photographs(photographs.given.source, wanted, own, progress)
        with transaction.atomic():
            dataset = publishing.write_dataset(
                name=name,
                line_format=truth.line_format,
                truth=truth.rows,
                photographs=of_image,
                provenance=provenance,
                licence=licence,
            )
            checked = [truth] if photographs is None else [truth, photographs]
            counts = {key: truth.counts[key] for key in ("images", "regions", "ignored")}
            return _receipt(
                Import.Kind.DATASET,
                checked,
                counts | {"photographs": len(of_image)},
                dataset=dataset,
                added={"dataset": dataset.pk},
                person=person,
                **receipt,
            )
    except BaseException:
        if keeper is None:
            own.take_back()
        raise


def load_results(
    *,
    dataset: Dataset,
    archives: Sequence[ResultArchive],
    missing: str | None = None,
    replace: bool = False,
    person: User | None = None,
    progress: Progress | None = None,
) -> Import:
    """Load the result sets of methods on a dataset.

    ``missing`` says what an image without a result file means: "empty" (no boxes) or
    "not-evaluated". It is never guessed: without it a gap refuses the load. ``replace`` lets them take
    the place of results that are loaded and that no answer refers to. Raises NotLoaded with every
    fault of every archive; then nothing is stored.
    """
    if not archives:
        raise NotLoaded("Choose at least one zip of results.")
    known = Known.of(dataset, with_results=False)
    checked = []
    with _rows_beside() as rows_of:
        refuse_doubles(dataset, [archive.method for archive in archives], replace=replace)
        for done, archive in enumerate(archives, 1):
            given = Given(archive.source, FileKind.RESULTS, archive.method, missing=missing)
            checked.append(checking.check_results(given, known, rows_of(f"results-{done}")))
            if progress is not None:
                progress(done, len(archives))
        refuse_faults(checked)
        return publish_results(dataset=dataset, checked=checked, replace=replace, person=person)


@transaction.atomic
def publish_results(
    *,
    dataset: Dataset,
    checked: Sequence[Checked],
    replace: bool,
    person: User | None,
    progress: Progress | None = None,
    **receipt: Any,
) -> Import:
    """Write result sets that were checked."""
    images = dict(dataset.images.values_list("name", "pk"))
    counts: dict[str, dict[str, int]] = {}
    methods, replaced = [], []
    refuse_doubles(dataset, titles_of(checked), replace=replace)
    for one in checked:
        left = set(one.counts["methods"])
        for title, rows in chain(
            checking.methods_together(one.rows),
            # A file may name a method and have nothing of it.
            ((title, iter(())) for title in one.counts["methods"]),
        ):
            if title not in left:
                continue
            left.discard(title)
            method, was_loaded, counts[title] = publishing.write_results(
                dataset=dataset,
                title=title,
                rows=rows,
                missing=one.given.missing,
                replace=replace,
                images=images,
                progress=progress,
            )
            methods.append(method.pk)
            if was_loaded:
                replaced.append(method.name)
    return _receipt(
        Import.Kind.RESULTS,
        checked,
        {"methods": counts},
        dataset=dataset,
        added={"methods": methods},
        replaced=replaced,
        person=person,
        **receipt,
    )


def titles_of(checked: Sequence[Checked]) -> list[str]:
    """The methods that these files have results of."""
    return [title for one in checked for title in one.counts["methods"]]


def load_scores(
    *,
    dataset: Dataset,
    protocol: str,
    source: Source,
    per_cent: bool = False,
    person: User | None = None,
) -> Import:
    """Load per-image scores that somebody else computed, as a run of a protocol of this name.

    ``per_cent`` says that they are in 0 to 100. Raises NotLoaded with every fault; then nothing is stored.
    """
    publishing.named(protocol, "protocol")
    with _rows_beside() as rows_of:
        given = Given(source, FileKind.SCORES, protocol, per_cent=per_cent)
        known = Known.of(dataset, with_results=True)
        checked = checking.check_scores(given, known, rows_of("scores"))
        refuse_faults([checked])
        return publish_scores(dataset=dataset, checked=checked, person=person)


@transaction.atomic
def publish_scores(
    *,
    dataset: Dataset,
    checked: Checked,
    person: User | None,
    progress: Progress | None = None,
    **receipt: Any,
) -> Import:
    """Write scores that were checked."""
    run, n_scores = publishing.write_scores(
        dataset=dataset, protocol=checked.given.title, rows=checked.rows, progress=progress
    )
    counts = {"protocol": run.name, "scores": n_scores, "missing": checked.counts["missing"]}
    return _receipt(
        Import.Kind.SCORES,
        [checked],
        counts,
        dataset=dataset,
        added={"run": run.pk},
        person=person,
        **receipt,
    )


@transaction.atomic
def publish_people(
    *, checked: Checked, person: User | None, progress: Progress | None = None, **receipt: Any
) -> Import:
    """Let people who were checked take part."""
    memberships, counts = people.write_people(checked.rows, progress)
    return _receipt(
        Import.Kind.USERS,
        [checked],
        counts,
        added={"memberships": memberships},
        person=person,
        **receipt,
    )


def refuse_faults(checked: Sequence[Checked]) -> None:
    """Raise NotLoaded if anything is wrong; a question nobody answered is a fault too."""
    problems = [
        replace(problem, severity="error") if problem.severity == "question" else problem
        for one in checked
        for problem in one.problems
    ]
    if any(problem.severity == "error" for problem in problems):
        raise NotLoaded.because_of(problems)


def refuse_doubles(dataset: Dataset | None, titles: Sequence[str], *, replace: bool) -> None:
    """Raise NotLoaded if two archives are for one method, or one is loaded and must stay."""
    seen: set[str] = set()
    for title in titles:
        name, slug = publishing.named(title, "method")
        if slug in seen:
            raise NotLoaded(f"Two of the archives are for the method {quoted(name)}.")
        seen.add(slug)
        method = None if dataset is None else publishing.method_named(dataset, title)
        if method is not None and method.results.exists():
            if not replace:
                raise NotLoaded(f"Results of {quoted(method.name)} are loaded already.")
            publishing.refuse_if_answered(method)


def _receipt(
    kind: str, checked: Sequence[Checked], counts: dict[str, Any], **fields: Any
) -> Import:
    dataset = fields.get("dataset")
    problems = [problem for one in checked for problem in one.problems]
    receipt = Import.objects.create(
        kind=kind,
        files=[_file(one.given.source, one.given.name) for one in checked],
        counts=counts,
        warnings=_sentences(problems),
        dataset_name=dataset.name if dataset else "",
        **fields,
    )
    record(
        _ACTS[receipt.kind],
        actor=receipt.person,
        what=receipt.dataset_name,
        details={"import": receipt.pk},
    )
    return receipt


@contextmanager
def _rows_beside() -> Iterator[Any]:
    """Give rows a place on disk for as long as they are checked and written."""
    with tempfile.TemporaryDirectory(prefix="load-") as folder:
        yield lambda name: Rows(Path(folder, f"{name}.jsonl.gz"))


def _sentences(problems: Sequence[Problem]) -> list[str]:
    sentences = [str(problem) for problem in problems if problem.severity == "warning"]
    if len(sentences) > MAX_WARNINGS:
        more = len(sentences) - MAX_WARNINGS
        return [*sentences[:MAX_WARNINGS], f"… and {counted(more, 'further note')}."]
    return sentences


def _file(source: Source, name: str | None = None) -> dict[str, Any]:
    """Name, size and checksum of a file for the receipt; of a folder its name alone."""
    name = source_name(source, name)
    if isinstance(source, str | Path):
        if Path(source).is_dir():
            return {"name": name, "sha256": "", "bytes": None}
        with open(source, "rb") as file:
            return {"name": name, **_fingerprint(file)}
    return {"name": name, **_fingerprint(source)}


def _fingerprint(file: BinaryIO) -> dict[str, Any]:
    file.seek(0)
    digest = file_digest(file, "sha256").hexdigest()
    return {"sha256": digest, "bytes": file.seek(0, 2)}
