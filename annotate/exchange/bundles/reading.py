"""Loading a study's bundle: all or nothing, and only rankings that follow from the log."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import file_digest
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.urls import get_script_prefix, resolve, reverse
from django.utils.dateparse import parse_datetime
from django.utils.timezone import is_aware

from annotate.audit.models import Act
from annotate.audit.services import record
from annotate.datasets.models import Dataset
from annotate.datasets.photographs import giving_back
from annotate.imports.errors import NotLoaded
from annotate.imports.models import Import
from annotate.stopping.models import Look
from annotate.studies.models import Exclusion, Membership, Pseudonym, Study, StudyImage
from protocols.formats.containers.files import Source, source_name
from protocols.formats.problems import quoted
from rankings.elicitation.log import CRITERIA

from . import DATASET, MANIFEST, REPORT, STUDY
from .members import Bundle, checked_list, read_bundle, reading
from .read_assignments import AssignmentReader
from .read_data import DataReader
from .read_judges import JudgeReader
from .records import BATCH, decoded, from_json, store
from .writing import SOFTWARE, report_bytes

_PARTS_OF_A_LOOK: Final = {"decided", "withdrawn", "held"}


@dataclass(frozen=True, slots=True)
class Loaded:
    """A loaded study, the number of rows of each list, and warnings."""

    study: Study
    counts: Mapping[str, int]
    notes: Sequence[str]


def import_study(source: Source) -> Loaded:
    """Load a bundle as a new study of a new dataset, or of one that has the checksums of the bundle's.

    The people of the bundle become accounts that cannot sign in. Raises NotLoaded if the bundle is
    damaged, of another version, inconsistent, has a name that is taken, or holds rankings that do
    not follow from its events; then no row is stored.
    """
    with tempfile.TemporaryDirectory() as folder:
        bundle = read_bundle(source, Path(folder))
        with giving_back(), transaction.atomic():
            return _load(bundle, _receipt(source))


def _load(bundle: Bundle, receipt: Mapping[str, Any]) -> Loaded:
    """Store the lists of a bundle in the order in which they refer to each other."""
    with reading(DATASET):
        dataset = decoded(Dataset, bundle.json(DATASET))
    with reading(STUDY):
        settings = bundle.json(STUDY)
        taking_part = {name: settings.pop(name) for name in ("methods", "images", "people")}
        numbers, looks = settings.pop("pseudonyms"), settings.pop("looks")
        asked_otherwise = settings.pop("asked_otherwise")
        study = decoded(Study, settings, dataset=dataset)
    data = DataReader(bundle)
    joined = _dataset_here(dataset, data)
    _check_name(study, "study", "reports:report")
    if joined is None:
        _check_name(dataset, "dataset", "datasets:detail")
        with reading(DATASET):
            store([dataset])
        data.read(dataset)
    else:
        study.dataset = dataset = joined
        data.join(dataset)
    people = PeopleReader(bundle, study)
    with reading(STUDY):
        store([study])
        study.methods.set([data.methods[name] for name in taking_part["methods"]])
        images = [data.images[name] for name in taking_part["images"]]
        if not {*asked_otherwise} <= {*taking_part["images"]}:
            raise ValueError("an image is asked otherwise that is none of the study's")
        StudyImage.objects.bulk_create(
            [
                decoded(StudyImage, asked_otherwise.get(image.name, {}), study=study, image=image)
                for image in images
            ],
            batch_size=BATCH,
        )
        people.make_people(taking_part["people"])
    people.load_members()
    with reading(STUDY):
        people.load_pseudonyms(numbers)
        store([_look(row, study) for row in checked_list(looks)])
    people.load_exclusions()
    AssignmentReader(bundle, study, data, people.people).read()
    JudgeReader(bundle, study, data, {None: None} | people.people).read(None if joined else dataset)
    _check_counts(bundle)
    notes = _check_report(bundle, study)
    if joined:
        notes.append(
            f"The dataset {quoted(dataset.name)} was here already, with equal checksums. It keeps its own "
            "selections and earlier ground truths."
        )
    counts = {name: bundle.counts[name] for name in bundle.manifest["counts"]}
    Import.objects.create(
        dataset=dataset,
        kind=Import.Kind.DATASET,
        files=[receipt],
        counts=counts,
        warnings=notes,
    )
    record(Act.STUDY_LOADED, study=study, what=study.name)
    return Loaded(study, counts, notes)


def _look(row: dict[str, Any], study: Study) -> Look:
    look = decoded(Look, row, study=study)
    for criterion, own in look.found.items():
        if criterion not in CRITERIA or own.keys() != _PARTS_OF_A_LOOK:
            raise ValueError("a look holds something else than decisions by criterion")
        pairs = [pair for part in own.values() for pair in checked_list(part)]
        if any([type(name) for name in checked_list(pair)] != [str, str] for pair in pairs):
            raise ValueError("a decision is not about two protocols")
    return look


def _dataset_here(dataset: Dataset, data: DataReader) -> Dataset | None:
    """Return the dataset of this name if it has the checksums of the bundle's."""
    here = Dataset.objects.filter(name=dataset.name, slug=dataset.slug).first()
    return here if here is not None and data.is_of(here) else None


def _check_name(row: Dataset | Study, what: str, address: str) -> None:
    taken = type(row)._default_manager.filter(Q(name=row.name) | Q(slug=row.slug)).first()
    if taken is not None:
        raise NotLoaded(
            f"There is a {what} named {quoted(taken.name)} (at {taken.slug}) already; rename or "
            "remove it first."
        )
    with reading(f"The name of the {what}"):
        path = reverse(address, args=[row.slug]) if row.slug else ""
        # Only what follows the path of the site is resolved.
        if not path or resolve(f"/{path.removeprefix(get_script_prefix())}").view_name != address:
            raise ValueError(f"{quoted(row.slug)} is an address of another page")


def _check_counts(bundle: Bundle) -> None:
    with reading(MANIFEST):
        for name, n in bundle.manifest["counts"].items():
            if bundle.counts[name] != n:
                raise NotLoaded(
                    f"The bundle says that it holds {n} {name} and holds {bundle.counts[name]}."
                )


def _check_report(bundle: Bundle, study: Study) -> list[str]:
    """Compare the loaded study's report with the bundle's; return the differences as sentences.

    Another build of the software may write a different report. Raises NotLoaded if the same one
    gives different numbers.
    """
    with reading(MANIFEST):
        as_of = parse_datetime(bundle.manifest["as_of"])
        if as_of is None or not is_aware(as_of):
            raise ValueError("as_of is no time with a time zone")
    with reading(REPORT):
        was, is_now = bundle.members[REPORT].read(), report_bytes(study, as_of)
        if was == is_now:
            return []
        before, after = from_json(was), from_json(is_now)
        header, header_now = before.pop("header"), after.pop("header")
    made_by = bundle.manifest["software"], bundle.manifest.get("build", "")
    if before != after and made_by == (SOFTWARE, settings.BUILD):
        raise NotLoaded(f"The report that the loaded study gives is not the one in {REPORT}.")
    notes = []
    differing = sorted(
        name
        for name in header.keys() | header_now.keys()
        if header.get(name) != header_now.get(name)
    )
    if differing:
        notes.append(
            f"The head of the report reads otherwise here than in the bundle: {', '.join(differing)}."
        )
    if before != after:
        notes.append(
            "The report comes out otherwise here than in the bundle, which another version of "
            "the software wrote."
        )
    return notes


def _receipt(source: Source) -> dict[str, Any]:
    """Return name, size and checksum of the bundle."""
    if isinstance(source, str | Path):
        with open(source, "rb") as file:
            return {"name": source_name(source), **_fingerprint(file)}
    return {"name": source_name(source), **_fingerprint(source)}


def _fingerprint(file: Any) -> dict[str, Any]:
    file.seek(0)
    return {"sha256": file_digest(file, "sha256").hexdigest(), "bytes": file.seek(0, 2)}


_MAX_USERNAME: Final = 150


@dataclass
class PeopleReader:
    """Loader of members and their roles; later parts find people by name in it."""

    bundle: Bundle
    study: Study
    people: dict[str, User] = field(default_factory=dict)

    def make_people(self, names: Sequence[str]) -> None:
        """Create an inactive account without a password for each person, so none can sign in."""
        for name in names:
            if name in self.people:
                raise ValueError(f"{quoted(name)} is named twice")
            self.people[name] = person_elsewhere(name, self.study.slug)

    def load_members(self) -> None:
        def made(row: dict[str, Any]) -> Membership:
            person = self.people[row.pop("person")]
            return decoded(Membership, row, study=self.study, person=person)

        self.bundle.load("members", made)

    def load_pseudonyms(self, numbers: Any) -> None:
        rows = []
        for person, role, number in checked_list(numbers):
            row = decoded(Pseudonym, {"role": role, "number": number}, study=self.study)
            row.person = self.people[person]
            rows.append(row)
        store(rows)

    def load_exclusions(self) -> None:
        def made(row: dict[str, Any]) -> Exclusion:
            person, by = self.people[row.pop("person")], row.pop("by")
            decided = decoded(Exclusion, row, study=self.study, person=person)
            decided.created_by = None if by is None else self.people[by]
            return decided

        self.bundle.load("exclusions", made)


def person_elsewhere(name: str, slug: str) -> User:
    """Create an inactive account without a password for a person of another site or tool."""
    person = User(username=_free_username(f"{name}.{slug}"), is_active=False)
    person.set_unusable_password()
    person.clean_fields()
    person.save()
    return person


def _free_username(wanted: str) -> str:
    name, number = wanted[:_MAX_USERNAME], 1
    while User.objects.filter(username=name).exists():
        number += 1
        name = f"{wanted[: _MAX_USERNAME - 8]}-{number}"
    return name
