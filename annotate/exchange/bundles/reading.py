"""Loading a study's bundle: everything or nothing, and only what the log bears out."""

import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, Final, TypeVar

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import DatabaseError, models, transaction
from django.db.models import Q
from django.urls import resolve, reverse
from django.utils.dateparse import parse_datetime
from django.utils.timezone import is_aware

from annotate.audit.models import Act
from annotate.audit.services import record
from annotate.datasets.models import Dataset, Image, Method, Result
from annotate.datasets.photographs import CONTENT_TYPES, Keeper, Photograph, read_photographs
from annotate.imports.errors import NotLoaded
from annotate.imports.models import Import
from annotate.judging.models import Assignment, Judgement, Screen, Skip, Withdrawal
from annotate.judging.replay import rankings_of, read_log, settled_of
from annotate.scoring.models import ProtocolRun, Score
from annotate.studies.models import Exclusion, Membership, Pseudonym, Study, StudyImage
from protocols.core.errors import ProtocolError
from protocols.core.regions import canonical_bytes, decode_regions
from protocols.formats.archives import Limits, Source, read_entries, source_name
from protocols.formats.problems import Problems, quoted
from rankings.elicitation import CRITERIA

from . import (
    CHECKSUMS,
    DATASET,
    FORMAT,
    LISTS,
    MANIFEST,
    PHOTOGRAPHS,
    READABLE,
    REPORT,
    SINGLE,
    STUDY,
)
from .records import decoded, from_json
from .writing import SOFTWARE, report_bytes

_MIB: Final = 1024 * 1024
# A photograph may be large, everything else as large as archives usually allow.
_LIMITS: Final = Limits(entry_bytes=200 * _MIB, total_bytes=20 * 1024**3)
_MAX_BYTES: Final = Limits().entry_bytes
_PART: Final = re.compile(rf"({'|'.join(LISTS)})-(\d{{4,}})\.jsonl", re.ASCII)
_PHOTOGRAPH: Final = re.compile(rf"{PHOTOGRAPHS}([0-9a-f]{{64}})", re.ASCII)
_SUM: Final = re.compile(r"([0-9a-f]{64})  (\S+)", re.ASCII)
_MAX_USERNAME: Final = 150
_BATCH: Final = 500
_FAULTS: Final = (
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    IndexError,
    OverflowError,
    RecursionError,
    ValidationError,
    ProtocolError,
    DatabaseError,
)
_Row = TypeVar("_Row", bound=models.Model)


@dataclass(frozen=True, slots=True)
class Loaded:
    """What was loaded, and what is odd about it."""

    study: Study
    counts: Mapping[str, int]
    notes: Sequence[str]


def import_study(source: Source) -> Loaded:
    """Load a bundle as a new dataset and a new study.

    The people of the bundle become accounts with which nobody can sign in. Raises NotLoaded if
    the bundle is damaged, of another version, does not add up, has a name that is taken, or holds
    rankings that its events do not lead to; then nothing is stored, no photograph either.
    """
    with tempfile.TemporaryDirectory() as folder:
        members = _unpacked(source, Path(folder))
        manifest = _manifest(members)
        _check_sums(members)
        keeper = Keeper()
        try:
            with transaction.atomic():
                return _Loader(members, manifest, keeper, _receipt(source)).load()
        except BaseException:
            keeper.take_back()
            raise


@dataclass(frozen=True, slots=True)
class _Member:
    """An entry, kept under a number of ours: its name in the zip is never a path."""

    path: Path
    sha256: str

    def read(self) -> bytes:
        return self.path.read_bytes()


def _unpacked(source: Source, folder: Path) -> dict[str, _Member]:
    problems = Problems(source_name(source))
    members: dict[str, _Member] = {}
    for entry in read_entries(source, problems, _LIMITS):
        name, is_photograph = entry.path, bool(_PHOTOGRAPH.fullmatch(entry.path))
        if not (is_photograph or name in (*SINGLE, CHECKSUMS) or _PART.fullmatch(name)):
            raise NotLoaded(f"{quoted(name)} does not belong into a bundle.")
        if name in members:
            raise NotLoaded(f"{name} is in the bundle twice.")
        if not is_photograph and len(entry.content) > _MAX_BYTES:
            raise NotLoaded(f"{name} is larger than {_MAX_BYTES // _MIB} MiB.")
        path = folder / str(len(members))
        path.write_bytes(entry.content)
        members[name] = _Member(path, sha256(entry.content).hexdigest())
    if problems.has_errors:
        raise NotLoaded.because_of(problems.found)
    return members


def _manifest(members: Mapping[str, _Member]) -> Mapping[str, Any]:
    if MANIFEST not in members:
        raise NotLoaded(f"This is no bundle of a study: {MANIFEST} is missing.")
    with _reading(MANIFEST):
        manifest = from_json(members[MANIFEST].read())
        if manifest["format"] != FORMAT:
            raise NotLoaded(f"This is no bundle of a study but {quoted(str(manifest['format']))}.")
        if manifest["version"] not in READABLE:
            raise NotLoaded(
                f"The bundle is of version {quoted(str(manifest['version']))}; this site reads "
                f"versions {' and '.join(map(str, READABLE))}."
            )
    return manifest


def _check_sums(members: Mapping[str, _Member]) -> None:
    if CHECKSUMS not in members:
        raise NotLoaded(f"{CHECKSUMS} is missing.")
    listed = {}
    with _reading(CHECKSUMS):
        for line in members[CHECKSUMS].read().decode().splitlines():
            found = _SUM.fullmatch(line)
            if found is None:
                raise ValueError(f"{quoted(line)} is no checksum")
            listed[found[2]] = found[1]
    for name in (*SINGLE, *listed):
        if name not in members:
            raise NotLoaded(f"{quoted(name)} is missing.")
    for name, member in members.items():
        if name == CHECKSUMS:
            continue
        if name not in listed:
            raise NotLoaded(f"{name} has no checksum.")
        if listed[name] != member.sha256:
            raise NotLoaded(f"{name} has changed: it does not fit its checksum.")


@contextmanager
def _reading(name: str, line: int | None = None) -> Iterator[None]:
    """Turn whatever a damaged part leads to into a sentence that says where."""
    try:
        yield
    except _FAULTS as fault:
        place = name if line is None else f"{name}, line {line}"
        what = f"{fault} is missing or unknown" if isinstance(fault, KeyError) else str(fault)
        what = " ".join(what.split()).rstrip(".") or type(fault).__name__
        raise NotLoaded(f"{place} cannot be used: {what}.") from fault


def _receipt(source: Source) -> dict[str, Any]:
    """Return name, size and checksum of the bundle."""
    if isinstance(source, str | Path):
        with open(source, "rb") as file:
            return {"name": source_name(source), **_fingerprint(file)}
    return {"name": source_name(source), **_fingerprint(source)}


def _fingerprint(file: Any) -> dict[str, Any]:
    file.seek(0)
    return {"sha256": file_digest(file, "sha256").hexdigest(), "bytes": file.seek(0, 2)}


class _Loader:
    """Goes through the members in the order in which they refer to each other."""

    def __init__(
        self,
        members: Mapping[str, _Member],
        manifest: Mapping[str, Any],
        keeper: Keeper,
        receipt: Mapping[str, Any],
    ) -> None:
        self._members = members
        self._manifest = manifest
        self._keeper = keeper
        self._receipt = receipt
        self._counts: Counter[str] = Counter()
        self._notes: list[str] = []
        self._images: dict[str, Image] = {}
        self._methods: dict[str, Method] = {}
        self._results: dict[tuple[str, str], int] = {}
        self._people: dict[str, User] = {}

    def load(self) -> Loaded:
        with _reading(DATASET):
            dataset = decoded(Dataset, self._json(DATASET))
        with _reading(STUDY):
            settings = self._json(STUDY)
            taking_part = {name: settings.pop(name) for name in ("methods", "images", "people")}
            numbers = settings.pop("pseudonyms", [])
            study = decoded(Study, settings, dataset=dataset)
        _check_names(dataset, study)
        with _reading(DATASET):
            _store([dataset])
        self._load_images(dataset)
        self._load_methods(dataset)
        self._load_results()
        self._load_scores(dataset)
        with _reading(STUDY):
            _store([study])
            study.methods.set([self._methods[name] for name in taking_part["methods"]])
            of_study = [
                StudyImage(study=study, image=self._images[n]) for n in taking_part["images"]
            ]
            StudyImage.objects.bulk_create(of_study, batch_size=_BATCH)
            self._make_people(study, taking_part["people"])
        self._load_members(study)
        with _reading(STUDY):
            self._load_pseudonyms(study, numbers)
        self._load_exclusions(study)
        self._load_assignments(study)
        self._check_counts()
        self._check_report(study)
        counts = {name: self._counts[name] for name in self._manifest["counts"]}
        Import.objects.create(
            dataset=dataset,
            kind=Import.Kind.DATASET,
            files=[self._receipt],
            counts=counts,
            warnings=self._notes,
        )
        record(Act.STUDY_LOADED, study=study, what=study.name)
        return Loaded(study, counts, self._notes)

    def _json(self, name: str) -> dict[str, Any]:
        content = from_json(self._members[name].read())
        if not isinstance(content, dict):
            raise TypeError("it holds no object")
        return content

    def _parts(self, name: str) -> list[str]:
        found = [(int(part[2]), part[0]) for part in map(_PART.fullmatch, self._members) if part]
        return [part for _, part in sorted(found) if part.startswith(f"{name}-")]

    def _lines(self, part: str) -> Iterator[tuple[int, dict[str, Any]]]:
        for number, line in enumerate(self._members[part].read().splitlines(), 1):
            with _reading(part, number):
                row = from_json(line)
                if not isinstance(row, dict):
                    raise TypeError("it holds no object")
            yield number, row

    def _load_images(self, dataset: Dataset) -> None:
        truths = (
            (part, number, row)
            for part in self._parts("truth")
            for number, row in self._lines(part)
        )
        photographs = self._photographs()
        for part in self._parts("images"):
            images = []
            for number, row in self._lines(part):
                with _reading(part, number):
                    truth_part, truth_number, truth = next(truths, (part, number, {}))
                    image = decoded(Image, row, dataset=dataset, truth={})
                with _reading(truth_part, truth_number):
                    if truth["image"] != image.name:
                        raise ValueError(f"it is not about {image.name}")
                    decode_regions(truth["truth"])
                    image.truth = truth["truth"]
                    self._counts["truth"] += 1
                with _reading(part, number):
                    self._check_photograph(image, photographs)
                images.append(image)
            with _reading(part):
                self._forget_absent_photographs(images)
                _store(images)
            self._counts["images"] += len(images)
            # Names and keys are all that later parts need.
            for image in images:
                image.truth = {}
                self._images[image.name] = image
        self._counts["truth"] += sum(1 for _ in truths)
        unused = photographs.keys() - {image.sha256 for image in self._images.values()}
        if unused:
            raise NotLoaded(f"{PHOTOGRAPHS}{min(unused)} is the photograph of no image.")

    def _photographs(self) -> dict[str, Photograph]:
        """Keep the bundle's photographs, verified anew; return what is known of them by hash."""
        found = {}
        problems = Problems("the bundle")
        for name, member in self._members.items():
            is_photograph = _PHOTOGRAPH.fullmatch(name)
            if is_photograph is None:
                continue
            if is_photograph[1] != member.sha256:
                raise NotLoaded(f"{name} is not the photograph it is named after.")
            with tempfile.TemporaryDirectory() as folder:
                Path(folder, "photograph").write_bytes(member.read())
                for entry, photograph in read_photographs(folder, problems):
                    self._keeper.keep(photograph, entry.content)
                    found[photograph.sha256] = photograph
            if problems.has_errors:
                raise NotLoaded.because_of(problems.found)
        self._counts["photographs"] = len(found)
        return found

    def _check_photograph(self, image: Image, photographs: Mapping[str, Photograph]) -> None:
        if not image.sha256:
            return
        if image.content_type not in CONTENT_TYPES.values():
            raise ValueError(f"{image.content_type!r} is no type of a photograph")
        if not self._manifest["photographs"]:
            return
        found = photographs.get(image.sha256)
        if found is None:
            raise ValueError("its photograph is missing")
        if (found.width, found.height, found.content_type) != (
            image.width,
            image.height,
            image.content_type,
        ):
            raise ValueError("its photograph has another size or type")

    def _forget_absent_photographs(self, images: Sequence[Image]) -> None:
        """Leave out size and hash of photographs that neither the bundle nor the site has."""
        if self._manifest["photographs"]:
            return
        here = set(
            Image.objects.filter(sha256__in={image.sha256 for image in images} - {""}).values_list(
                "sha256", "width", "height", "content_type"
            )
        )
        for image in images:
            if (image.sha256, image.width, image.height, image.content_type) not in here:
                image.sha256 = image.content_type = ""
                image.width = image.height = None

    def _load_methods(self, dataset: Dataset) -> None:
        for part in self._parts("methods"):
            methods = []
            for number, row in self._lines(part):
                with _reading(part, number):
                    methods.append(decoded(Method, row, dataset=dataset))
            with _reading(part):
                _store(methods)
            self._counts["methods"] += len(methods)
            self._methods |= {method.name: method for method in methods}

    def _load_results(self) -> None:
        for part in self._parts("results"):
            results = []
            for number, row in self._lines(part):
                with _reading(part, number):
                    image = self._images[row.pop("image")]
                    method = self._methods[row.pop("method")]
                    found = decode_regions(row["regions"])
                    result = decoded(Result, row, image=image, method=method, n_regions=len(found))
                    if sha256(canonical_bytes(found)).hexdigest() != result.sha256:
                        raise ValueError("its regions do not fit its hash")
                    results.append(result)
            with _reading(part):
                _store(results)
            self._counts["results"] += len(results)
            self._results |= {(one.image.name, one.method.name): one.pk for one in results}

    def _load_scores(self, dataset: Dataset) -> None:
        runs: list[ProtocolRun] = []
        for part in self._parts("runs"):
            for number, row in self._lines(part):
                with _reading(part, number):
                    runs.append(decoded(ProtocolRun, row, dataset=dataset))
                    _store(runs[-1:])
        self._counts["runs"] = len(runs)
        for part in self._parts("scores"):
            scores = []
            for number, row in self._lines(part):
                with _reading(part, number):
                    run = runs[_natural(row.pop("run"), len(runs)) - 1]
                    result = self._results[row.pop("image"), row.pop("method")]
                    scores.append(decoded(Score, row, run=run, result_id=result))
            with _reading(part):
                _store(scores)
            self._counts["scores"] += len(scores)

    def _make_people(self, study: Study, names: Sequence[str]) -> None:
        """Make an account for everybody; without password and inactive, nobody signs in with it."""
        for name in names:
            if name in self._people:
                raise ValueError(f"{quoted(name)} is named twice")
            person = User(username=_free_username(f"{name}.{study.slug}"), is_active=False)
            person.set_unusable_password()
            person.clean_fields()
            person.save()
            self._people[name] = person

    def _load_members(self, study: Study) -> None:
        for part in self._parts("members"):
            members = []
            for number, row in self._lines(part):
                with _reading(part, number):
                    person = self._people[row.pop("person")]
                    members.append(decoded(Membership, row, study=study, person=person))
            with _reading(part):
                _store(members)
            self._counts["members"] += len(members)

    def _load_pseudonyms(self, study: Study, numbers: Any) -> None:
        rows = []
        for person, role, number in _list(numbers):
            row = decoded(Pseudonym, {"role": role, "number": number}, study=study)
            row.person = self._people[person]
            rows.append(row)
        _store(rows)

    def _load_exclusions(self, study: Study) -> None:
        for part in self._parts("exclusions"):
            rows = []
            for number, row in self._lines(part):
                with _reading(part, number):
                    person, by = self._people[row.pop("person")], row.pop("by")
                    decided = decoded(Exclusion, row, study=study, person=person)
                    decided.created_by = None if by is None else self._people[by]
                    rows.append(decided)
            with _reading(part):
                _store(rows)
            self._counts["exclusions"] += len(rows)

    def _load_assignments(self, study: Study) -> None:
        taking_part = dict(study.methods.values_list("name", "pk"))
        method_of = {
            result: taking_part[name]
            for (_, name), result in self._results.items()
            if name in taking_part
        }
        n_complete: Counter[int] = Counter()
        for part in self._parts("assignments"):
            logs = []
            for number, row in self._lines(part):
                with _reading(part, number):
                    logs.append(self._log(study, row))
            with _reading(part):
                _store([log.assignment for log in logs])
                _store([screen for log in logs for screen in log.screens])
                _store([event for log in logs for event in log.judgements])
                _store([event for log in logs for event in log.skips])
                _store([event for log in logs for event in log.withdrawals])
            for number, log in enumerate(logs, 1):
                with _reading(part, number):
                    _check_replay(log.assignment, method_of)
                if log.assignment.state == Assignment.State.COMPLETE:
                    n_complete[log.assignment.image_id] += 1
            self._counts["assignments"] += len(logs)
            for name in ("screens", "judgements", "skips", "withdrawals"):
                self._counts[name] += sum(len(getattr(log, name)) for log in logs)
        for image_id, n in n_complete.items():
            StudyImage.objects.filter(study=study, image=image_id).update(n_complete=n)

    def _log(self, study: Study, row: dict[str, Any]) -> "_Log":
        """Return an assignment with what happened to it, nothing stored yet."""
        image = self._images[row.pop("image")]
        screens, events = row.pop("screens"), row.pop("events")
        items = [
            [self._results[image.name, name] for name in _list(item)]
            for item in _list(row.pop("items"))
        ]
        flat = [result for item in items for result in item]
        if not all(items) or len(set(flat)) != len(flat):
            raise ValueError("an item is empty, or a result is in two items")
        assignment = decoded(
            Assignment,
            {name: value for name, value in row.items() if name not in ("annotator", "rankings")},
            study=study,
            image=image,
            annotator=self._people[row["annotator"]],
            items=items,
            rankings=self._ranked(row["rankings"]),
        )
        if not set(_list(assignment.hidden)) <= set(range(len(items))):
            raise ValueError("an item is hidden that is none")
        if not set(_list(assignment.unsettled)) <= set(CRITERIA):
            raise ValueError("an unknown criterion is unsettled")
        log = _Log(assignment)
        numbered: dict[int, Screen] = {}
        for screen in _list(screens):
            left, right = (
                self._results[image.name, screen.pop(side)] for side in ("left", "right")
            )
            if not {left, right} <= set(flat):
                raise ValueError("a screen shows what is no item")
            made = decoded(Screen, screen, assignment=assignment, left_id=left, right_id=right)
            numbered[made.number] = made
            log.screens.append(made)
        for number, event in enumerate(_list(events), 1):
            if event["number"] != number:
                raise ValueError("its events are not numbered 1, 2, 3 ...")
            log.add(event, numbered)
        return log

    def _ranked(self, rankings: Any) -> dict[str, list[list[int]]] | None:
        if rankings is None:
            return None
        return {
            criterion: [
                sorted(self._methods[name].pk for name in _list(bucket))
                for bucket in _list(rankings[criterion])
            ]
            for criterion in CRITERIA
        }

    def _check_counts(self) -> None:
        with _reading(MANIFEST):
            for name, n in self._manifest["counts"].items():
                if self._counts[name] != n:
                    raise NotLoaded(
                        f"The bundle says that it holds {n} {name} and holds {self._counts[name]}."
                    )

    def _check_report(self, study: Study) -> None:
        """The report must come out as it was; another version of the software may write it otherwise."""
        with _reading(MANIFEST):
            as_of = parse_datetime(self._manifest["as_of"])
            if as_of is None or not is_aware(as_of):
                raise ValueError("as_of is no time with a time zone")
        with _reading(REPORT):
            was, is_now = self._members[REPORT].read(), report_bytes(study, as_of)
            if was == is_now:
                return
            before, after = from_json(was), from_json(is_now)
            header, header_now = before.pop("header"), after.pop("header")
        if before != after and self._manifest["software"] == SOFTWARE:
            raise NotLoaded(f"The report that the loaded study gives is not the one in {REPORT}.")
        differing = sorted(
            name
            for name in header.keys() | header_now.keys()
            if header.get(name) != header_now.get(name)
        )
        if differing:
            self._notes.append(
                f"The head of the report reads otherwise here than in the bundle: {', '.join(differing)}."
            )
        if before != after:
            self._notes.append(
                "The report comes out otherwise here than in the bundle, which another version of "
                "the software wrote."
            )


class _Log:
    """An assignment and what happened to it, before it is stored."""

    def __init__(self, assignment: Assignment) -> None:
        self.assignment = assignment
        self.screens: list[Screen] = []
        self.judgements: list[Judgement] = []
        self.skips: list[Skip] = []
        self.withdrawals: list[Withdrawal] = []
        self._answers: dict[int, Judgement | Skip] = {}

    def add(self, event: dict[str, Any], screens: Mapping[int, Screen]) -> None:
        kind = event.pop("kind")
        if kind == "withdrawal":
            ended = self._answers[event.pop("ends")]
            ends = "judgement" if isinstance(ended, Judgement) else "skip"
            made = decoded(Withdrawal, event, assignment=self.assignment, **{ends: ended})
            self.withdrawals.append(made)
            return
        screen = screens[event.pop("screen")]
        answer: Judgement | Skip
        if kind == "judgement":
            answer = decoded(Judgement, event, assignment=self.assignment, screen=screen)
            self.judgements.append(answer)
        elif kind == "skip":
            answer = decoded(Skip, event, assignment=self.assignment, screen=screen)
            self.skips.append(answer)
        else:
            raise ValueError(f"{quoted(str(kind))} is no kind of event")
        self._answers[answer.number] = answer


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(f"{quoted(str(value))} is no list")
    return value


def _natural(value: Any, most: int) -> int:
    if type(value) is not int or not 1 <= value <= most:
        raise ValueError(f"{quoted(str(value))} is not a number from 1 to {most}")
    return value


def _check_names(dataset: Dataset, study: Study) -> None:
    for row, what, address in (
        (dataset, "dataset", "datasets:detail"),
        (study, "study", "reports:report"),
    ):
        taken = type(row)._default_manager.filter(Q(name=row.name) | Q(slug=row.slug)).first()
        if taken is not None:
            raise NotLoaded(
                f"There is a {what} named {quoted(taken.name)} (at {taken.slug}) already; rename or "
                "remove it first."
            )
        with _reading(f"The name of the {what}"):
            if not row.slug or resolve(reverse(address, args=[row.slug])).view_name != address:
                raise ValueError(f"{quoted(row.slug)} is an address of another page")


def _free_username(wanted: str) -> str:
    name, number = wanted[:_MAX_USERNAME], 1
    while User.objects.filter(username=name).exists():
        number += 1
        name = f"{wanted[: _MAX_USERNAME - 8]}-{number}"
    return name


def _store(rows: Sequence[_Row]) -> None:
    """Insert rows with the times they carry, which auto_now_add would set to now."""
    if not rows:
        return
    model = type(rows[0])
    dated = any(field.name == "created" for field in model._meta.concrete_fields)
    times = [getattr(row, "created", None) for row in rows]
    model._default_manager.bulk_create(rows, batch_size=_BATCH)
    if not dated:
        return
    if any(time is None for time in times):
        raise ValueError("created is missing")
    for row, time in zip(rows, times, strict=True):
        row.created = time  # type: ignore[attr-defined]
    model._default_manager.bulk_update(rows, ["created"], batch_size=_BATCH)


def _check_replay(assignment: Assignment, method_of: Mapping[int, int]) -> None:
    """Refuse rankings that the stored events do not lead to."""
    state = settled_of(assignment, read_log(assignment)).state
    if assignment.state == Assignment.State.COMPLETE:
        same = state.is_finished and assignment.rankings == rankings_of(
            assignment, state, dict(method_of)
        )
    else:
        same = assignment.state != Assignment.State.INCOMPLETE or not state.is_finished
    if not same:
        raise NotLoaded(
            f"The events of {assignment.annotator} on {assignment.image} lead to other rankings "
            "than the bundle holds."
        )
