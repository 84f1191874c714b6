"""Writing a study's bundle. Equal data give equal bytes, whenever it is written."""

import hashlib
import json
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import IO, Any, Final

from django.conf import settings
from django.db.models import Max, Q
from django.utils.translation import gettext as _

from annotate.datasets.models import Dataset, EarlierTruth, Image, Result, image_storage
from annotate.errors import Refusal
from annotate.exchange.raw import zip_entry
from annotate.exchange.rows import answer_of, assignments_in_order, logs_of
from annotate.judges.models import JudgeAnswer
from annotate.judging.models import Assignment, Judgement, Note, Screen, Skip, Withdrawal
from annotate.reports import exports, services
from annotate.reports.snapshots import snapshot
from annotate.scoring.models import ProtocolRun, Score
from annotate.studies.models import Study, StudyImage
from annotate.studies.pseudonyms import names_of, numbered
from annotate.studies.settings import SETTINGS, InBundle
from rankings import __version__ as software_version

from . import (
    CHECKSUMS,
    DATASET,
    EXPLANATION,
    FORMAT,
    MANIFEST,
    PART_BYTES,
    PHOTOGRAPHS,
    README,
    REPORT,
    STUDY,
    VERSION,
)
from .records import encoded, to_line

_CHUNK: Final = 1024 * 1024
# Fields of an assignment that are not copied: counts, and those that hold keys of rows.
_NAMED: Final = ("items", "known", "drawn", "rankings", "n_answered", "n_skipped")
_NOT_TOLD: Final = "not told in this bundle"
SOFTWARE: Final = f"text-detection-rankings {software_version}"


class NotExported(Refusal):
    """Refusal to write a bundle, because a requested photograph is missing."""


Tell = Callable[[int, int, str], None]


def write_bundle(
    study: Study,
    stream: IO[bytes],
    *,
    photographs: bool = False,
    names: bool = False,
    words: bool = True,
    tell: Tell | None = None,
) -> dict[str, int]:
    """Write a consistent snapshot of a study; return the counts of its contents.

    Without ``words``, free texts of the study's people are left out: they may name a person.
    ``tell(done, total, doing)`` is called before each list and each photograph. Raises NotExported
    if a requested photograph is missing.
    """
    with snapshot(), zipfile.ZipFile(stream, "w") as archive:
        bundle = _Bundle(study.dataset, archive, tell or _untold, study, names, words)
        bundle.write(photographs=photographs)
        return dict(bundle.counts)


def sums_of_data(dataset: Dataset) -> list[str]:
    """Return the lines of checksums that a bundle has for a dataset, without photographs."""
    with tempfile.TemporaryFile() as stream, zipfile.ZipFile(stream, "w") as archive:
        data = _Data(dataset, archive, _untold)
        data.write_data()
        return data.sums


@dataclass
class _Data:
    """A zip of a dataset in progress, and the checksums of its contents so far."""

    dataset: Dataset
    archive: zipfile.ZipFile
    tell: Tell
    sums: list[str] = field(default_factory=list, init=False)
    counts: Counter[str] = field(default_factory=Counter, init=False)

    def write_data(self) -> None:
        self._json(DATASET, encoded(self.dataset))
        self._lists(
            ("images", self._images()),
            ("truth", self._truth()),
            ("methods", map(encoded, self.dataset.methods.order_by("pk"))),
            ("results", self._results()),
            ("runs", map(encoded, _runs(self.dataset))),
            ("scores", self._scores()),
        )

    def _lists(self, *lists: tuple[str, Iterable[Mapping[str, Any]]]) -> None:
        for done, (name, rows) in enumerate(lists):
            self.tell(done, len(lists), f"Writing {name}")
            self._list(name, rows)

    def _add(self, name: str, chunks: Iterable[bytes], *, compress: bool = True) -> None:
        digest = hashlib.sha256()
        with self.archive.open(zip_entry(name, compress=compress), "w") as out:
            for chunk in chunks:
                out.write(chunk)
                digest.update(chunk)
        self.sums.append(f"{digest.hexdigest()}  {name}\n")

    def _json(self, name: str, content: Mapping[str, Any]) -> None:
        self._add(name, [json.dumps(content, indent=2, ensure_ascii=False).encode() + b"\n"])

    def _list(self, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
        number, size = 1, 0
        part: list[bytes] = []
        self.counts[name] = 0
        for row in rows:
            self.counts[name] += 1
            line = to_line(row)
            if part and size + len(line) > PART_BYTES:
                self._add(f"{name}-{number:04}.jsonl", part)
                number, part, size = number + 1, [], 0
            part.append(line)
            size += len(line)
        if part:
            self._add(f"{name}-{number:04}.jsonl", part)

    def _images(self) -> Iterator[dict[str, Any]]:
        for image in self.dataset.images.in_order().defer("truth").iterator():
            turn = () if image.original_sha256 else ("orientation", "original_sha256")
            yield encoded(image, leave_out=["truth", *turn])

    def _truth(self) -> Iterator[dict[str, Any]]:
        rows = self.dataset.images.in_order().values_list("name", "truth")
        for name, truth in rows.iterator():
            yield {"image": name, "truth": truth}

    def _results(self) -> Iterator[dict[str, Any]]:
        rows = Result.objects.filter(method__dataset=self.dataset)
        rows = rows.order_by("image__position", "image_id", "method_id")
        for result in rows.select_related("image", "method").defer("image__truth").iterator():
            yield {
                "image": result.image.name,
                "method": result.method.name,
                **encoded(result, leave_out=["n_regions"]),
            }

    def _scores(self) -> Iterator[dict[str, Any]]:
        for number, run in enumerate(_runs(self.dataset), 1):
            rows = Score.objects.filter(run=run).select_related("result__image", "result__method")
            rows = rows.defer("result__regions", "result__image__truth")
            order = ("result__image__position", "result__image_id", "result__method_id")
            for score in rows.order_by(*order).iterator():
                yield {
                    "run": number,
                    "image": score.result.image.name,
                    "method": score.result.method.name,
                    **encoded(score),
                }


@dataclass
class _Bundle(_Data):
    """The zip of a study in progress; with the names of its people, and their words."""

    study: Study
    names: bool
    words: bool

    @cached_property
    def people(self) -> dict[int, str]:
        return names_of(self.study, real=self.names)

    def write(self, *, photographs: bool) -> None:
        study = self.study
        self.write_data()
        self._lists(
            ("members", self._members()),
            ("exclusions", self._exclusions()),
            ("assignments", self._assignments()),
            ("earlier_truths", self._earlier_truths()),
            ("selections", self._selections()),
            ("judges", self._judges()),
            ("judge_answers", self._judge_answers()),
        )
        self._json(STUDY, self._settings())
        self.counts["photographs"] = 0
        if photographs:
            self._photographs()
        as_of = _last_change(study)
        self._add(REPORT, [report_bytes(study, as_of, words=self.words)])
        self._add(README, [EXPLANATION.encode()])
        self._json(
            MANIFEST,
            {
                "format": FORMAT,
                "version": VERSION,
                "software": SOFTWARE,
                "build": settings.BUILD,
                "study": study.name,
                "dataset": study.dataset.name,
                "as_of": as_of.isoformat(),
                "photographs": photographs,
                "names": self.names,
                "counts": dict(self.counts),
            },
        )
        self._add(CHECKSUMS, ["".join(self.sums).encode()])

    def _members(self) -> Iterator[dict[str, Any]]:
        for membership in self.study.memberships.order_by("created", "pk"):
            yield {"person": self.people[membership.person_id], **encoded(membership)}

    def _exclusions(self) -> Iterator[dict[str, Any]]:
        for row in self.study.exclusions.all():
            yield {
                "person": self.people[row.person_id],
                **self._by(row.created_by_id),
                **encoded(row),
                **({} if self.words else {"reason": _NOT_TOLD}),
            }

    def _settings(self) -> dict[str, Any]:
        study = self.study
        images = Image.objects.filter(studies=study).in_order().values_list("name", flat=True)
        methods = study.methods.order_by("pk").values_list("name", flat=True)
        return {
            # The contact is a name, and the other texts may contain one.
            **encoded(study, leave_out=self._withheld()),
            "methods": list(methods),
            "images": list(images),
            # Images with rules of their own: all methods, or another number of annotators.
            "asked_otherwise": {
                row.image.name: encoded(row, leave_out=["n_complete"])
                for row in _asked_otherwise(study)
            },
            "people": list(self.people.values()),
            # [person, role, number]
            "pseudonyms": [
                [self.people[row.person_id], row.role, row.number] for row in numbered(study)
            ],
            "looks": list(map(encoded, study.looks.all())),
        }

    def _withheld(self) -> list[str]:
        """Return the settings to leave out because they may name a person."""
        held = {
            InBundle.ALWAYS: False,
            InBundle.WITH_WORDS: not self.words,
            InBundle.WITH_WORDS_AND_NAMES: not (self.words and self.names),
        }
        return [setting.name for setting in SETTINGS if held[setting.in_bundle]]

    def _assignments(self) -> Iterator[dict[str, Any]]:
        name_of = dict(self.dataset.methods.values_list("pk", "name"))
        number_of = {run.pk: number for number, run in enumerate(_runs(self.dataset), 1)}
        for kind in ("screens", "judgements", "skips", "withdrawals", "notes"):
            self.counts[kind] = 0
        for some in assignments_in_order(self.study, self.people):
            logs = logs_of(some)
            screens: dict[int, list[Screen]] = {assignment.pk: [] for assignment in some}
            for screen in Screen.objects.filter(assignment__in=some).order_by("number"):
                screens[screen.assignment_id].append(screen)
            notes: dict[int, list[dict[str, Any]]] = {assignment.pk: [] for assignment in some}
            # A note is a text, which may name a person.
            told = Note.objects.filter(screen__assignment__in=some) if self.words else ()
            for note in told and told.select_related("screen").order_by("pk"):
                row = {"screen": note.screen.number, **encoded(note)}
                notes[note.screen.assignment_id].append(row)
            for assignment in some:
                events, method_of = logs.events[assignment.pk], logs.method_of
                self.counts["screens"] += len(screens[assignment.pk])
                self.counts.update(f"{type(event).__name__.lower()}s" for event in events)
                self.counts["notes"] += len(notes[assignment.pk])
                yield {
                    "image": assignment.image.name,
                    "annotator": self.people[assignment.annotator_id],
                    **encoded(assignment, leave_out=_NAMED),
                    "drawn": _drawn(assignment, name_of, number_of),
                    "items": [[method_of[result] for result in item] for item in assignment.items],
                    "known": [
                        {**pair, "result": method_of[pair["result"]]} for pair in assignment.known
                    ],
                    "rankings": _named(assignment, name_of),
                    "screens": [_screen(screen, method_of) for screen in screens[assignment.pk]],
                    "events": [self._event(event) for event in events],
                    "notes": notes[assignment.pk],
                }

    def _event(self, event: Judgement | Skip | Withdrawal) -> dict[str, Any]:
        row: dict[str, Any] = {"kind": type(event).__name__.lower()}
        if isinstance(event, Withdrawal):
            return {**row, "ends": answer_of(event).number, **encoded(event)}
        # A browser's description may identify its user.
        leave_out = () if self.names else ("environment",)
        told = encoded(event, leave_out)
        if not self.words and "text" in told:
            told["text"] = ""
        return {**row, "screen": event.screen.number, **told}

    def _earlier_truths(self) -> Iterator[dict[str, Any]]:
        rows = EarlierTruth.objects.filter(image__dataset=self.dataset)
        in_order = rows.order_by("image__position", "image", "version").select_related("image")
        for row in in_order.defer("image__truth").iterator():
            yield {
                "image": row.image.name,
                **self._by(row.person_id),
                **encoded(row),
                **({} if self.words else {"reason": _NOT_TOLD}),
            }

    def _selections(self) -> Iterator[dict[str, Any]]:
        for row in self.dataset.selections.order_by("pk"):
            images = row.images.in_order().values_list("name", flat=True)
            yield {"images": [*images], **self._by(row.person_id), **encoded(row)}

    def _judges(self) -> Iterator[dict[str, Any]]:
        name_of = dict(self.dataset.images.values_list("pk", "name"))
        for row in self.study.judges.all():
            yield {
                **encoded(row, leave_out=() if self.names else ("host",)),
                "images": row.images and [name_of[image] for image in row.images],
                **self._by(row.made_by_id),
            }

    def _judge_answers(self) -> Iterator[dict[str, Any]]:
        rows = JudgeAnswer.objects.filter(judge__study=self.study).order_by("pk")
        names = ("judge__name", "image__name", "left__method__name", "right__method__name")
        keys = ("judge", "image", "left", "right")
        named = rows.values_list("pk", *names)
        for row, (_pk, *of) in zip(rows.iterator(), named.iterator(), strict=True):
            yield {**dict(zip(keys, of, strict=True)), **encoded(row)}

    def _by(self, person: int | None) -> dict[str, str | None]:
        """Return who did it; None for an admin who is not a member of the study."""
        return {"by": self.people.get(person or 0)}

    def _photographs(self) -> None:
        stored = self.dataset.images.exclude(sha256="").order_by("sha256")
        storage = image_storage()
        n_stored = stored.values("sha256").distinct().count()
        for image in _one_of_each(stored.iterator()):
            self.counts["photographs"] += 1
            self.tell(self.counts["photographs"], n_stored, _("Writing photographs"))
            try:
                with storage.open(image.stored_name) as file:
                    chunks = iter(lambda: file.read(_CHUNK), b"")
                    self._add(f"{PHOTOGRAPHS}{image.sha256}", chunks, compress=False)
            except FileNotFoundError as missing:
                raise NotExported(
                    _(
                        "The photograph of {image} is missing in the site's storage. "
                        "Restore it, or export without photographs."
                    ).format(image=image.name)
                ) from missing


def _untold(done: int, total: int, doing: str) -> None:
    pass


def _one_of_each(images: Iterable[Image]) -> Iterator[Image]:
    last = ""
    for image in images:
        if image.sha256 != last:
            last = image.sha256
            yield image


def _runs(dataset: Dataset) -> Iterable[ProtocolRun]:
    return dataset.runs.order_by("created", "pk")


def _asked_otherwise(study: Study) -> Iterable[StudyImage]:
    rows = study.study_images.filter(Q(asks_all=True) | Q(n_annotators__isnull=False))
    return rows.select_related("image").defer("image__truth").order_by("image__position", "image")


def _drawn(
    assignment: Assignment, name_of: Mapping[int, str], number_of: Mapping[int, int]
) -> dict[str, Any] | None:
    """Return the drawn sample, methods by name and runs by number, without removed ones."""
    if assignment.drawn is None:
        return None
    return {
        "methods": [name_of[method] for method in assignment.drawn["methods"]],
        "from": [name_of[method] for method in assignment.drawn["from"] if method in name_of],
        "pairs": [[name_of[a], name_of[b], chance] for a, b, chance in assignment.drawn["pairs"]],
        "runs": [number_of[run] for run in assignment.drawn["runs"] if run in number_of],
    }


def _named(assignment: Assignment, name_of: Mapping[int, str]) -> dict[str, Any] | None:
    if assignment.rankings is None:
        return None
    return {
        criterion: [sorted(name_of[method] for method in bucket) for bucket in buckets]
        for criterion, buckets in assignment.rankings.items()
    }


def _screen(screen: Screen, method_of: Mapping[int, str]) -> dict[str, Any]:
    return {
        **encoded(screen, leave_out=["public_id"]),
        "left": method_of[screen.left_id],
        "right": method_of[screen.right_id],
    }


def _last_change(study: Study) -> datetime:
    """Return the time of the last change that shows in a report or a bundle."""
    times = [study.created]
    for query, name in (
        (study.dataset.runs, "created"),
        (study.assignments, "finished"),
        (study.exclusions, "created"),
        (study.looks, "taken"),
        (Judgement.objects.filter(assignment__study=study), "created"),
        (Skip.objects.filter(assignment__study=study), "created"),
        (Withdrawal.objects.filter(assignment__study=study), "created"),
    ):
        times.append(query.aggregate(last=Max(name))["last"])
    return max(time for time in times if time is not None)


def report_bytes(study: Study, as_of: datetime, *, words: bool = True) -> bytes:
    """Return the exported report with default settings, dated ``as_of``."""
    settings = services.usual_settings(study)
    built = services.study_report(services.asked_now(study, settings), may_cache=False)
    if not words:
        left = [f"{one.partition(': ')[0]}: {_NOT_TOLD}" for one in built.people_left_out]
        built = replace(built, people_left_out=left)
    return exports.export(replace(built, created=as_of), "json").encode()
