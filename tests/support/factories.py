"""Factories of small objects for tests, each in one call."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import count

from django.contrib.auth.models import User
from django.utils import timezone

from annotate.datasets.models import Dataset, Image, Method, Result
from annotate.learning import consent
from annotate.learning.models import FirstVisit
from annotate.scoring.models import ProtocolRun, Score
from annotate.studies.models import Membership, Role, Study
from annotate.studies.services import create_study
from protocols.core.regions import Region, canonical_bytes, encode_regions

Box = tuple[float, float, float, float]
# Numbers of five digits: names that end in them sort in the order of creation.
serial = count(10_000)


def make_person(username: str | None = None, **fields: object) -> User:
    return User.objects.create_user(username or f"person-{next(serial)}", password="pw", **fields)


def make_admin(username: str | None = None, **fields: object) -> User:
    return make_person(username, is_staff=True, is_superuser=True, **fields)


def make_dataset(name: str | None = None, **fields: object) -> Dataset:
    name = name or f"dataset-{next(serial)}"
    defaults = {"slug": name, "line_format": "ltrb", "box_convention": "inclusive"}
    return Dataset.objects.create(name=name, **defaults | fields)


def regions(boxes: Iterable[Box]) -> tuple[Region, ...]:
    return tuple(Region.from_box(*box) for box in boxes)


def make_image(dataset: Dataset, name: str | None = None, truth: Iterable[Box] = ()) -> Image:
    image = _image(dataset, name, truth)
    image.save(force_insert=True)
    return image


def _image(dataset: Dataset, name: str | None, truth: Iterable[Box]) -> Image:
    number = next(serial)
    return Image(
        dataset=dataset,
        name=name or f"img_{number}",
        position=number,
        truth=encode_regions(regions(truth)),
    )


def make_method(dataset: Dataset, name: str | None = None) -> Method:
    name = name or f"method-{next(serial)}"
    return Method.objects.create(dataset=dataset, name=name, slug=name)


def make_result(image: Image, method: Method, boxes: Iterable[Box] | None = None) -> Result:
    """Make a result; by default its box is unlike others, next to the truth of `make_study`."""
    result = _result(image, method, boxes, image.results.count() if boxes is None else 0)
    result.save(force_insert=True)
    return result


def _result(image: Image, method: Method, boxes: Iterable[Box] | None, place: int) -> Result:
    offset = 100 + 30 * place
    detections = regions([(offset, 0, offset + 20, 10)] if boxes is None else boxes)
    return Result(
        image=image,
        method=method,
        regions=encode_regions(detections),
        n_regions=len(detections),
        sha256=sha256(canonical_bytes(detections)).hexdigest(),
    )


def make_study(
    methods: int | Sequence[str] = 3,
    images: int = 1,
    annotators: Sequence[User] = (),
    state: str = Study.State.OPEN,
    boxes: Mapping[str, Iterable[Box]] | None = None,
    **settings: object,
) -> Study:
    """Make an open study in which every method has a result on every image."""
    dataset = make_dataset()
    names = [f"method-{i}" for i in range(methods)] if isinstance(methods, int) else methods
    made = [make_method(dataset, name) for name in names]
    pictures = [_image(dataset, None, [(0, 0, 99, 39)]) for _ in range(images)]
    Image.objects.bulk_create(pictures)
    Result.objects.bulk_create(
        _result(image, method, (boxes or {}).get(method.name), place)
        for image in pictures
        for place, method in enumerate(made)
    )
    defaults = {"name": f"study {next(serial)}", "seed": 7}
    study = create_study(dataset=dataset, methods=made, **defaults | {"state": state} | settings)
    for person in annotators:
        add_annotator(study, person)
    return study


def add_newcomer(study: Study, person: User | None = None) -> User:
    """Add an annotator whose first visit is still due."""
    person = person or make_person()
    Membership.objects.create(study=study, person=person, role=Role.ANNOTATOR)
    return person


def add_annotator(study: Study, person: User | None = None) -> User:
    """Add an annotator who has finished the first visit."""
    person = add_newcomer(study, person)
    introduce(study, person)
    return person


def introduce(study: Study, person: User) -> None:
    now = timezone.now()
    FirstVisit.objects.create(
        study=study, annotator=person, consented=now, consent_version=consent.VERSION, finished=now
    )


def add_researcher(study: Study, person: User | None = None) -> User:
    person = person or make_person()
    Membership.objects.create(study=study, person=person, role=Role.RESEARCHER)
    return person


def make_run(study: Study, name: str, scores: Mapping[str, float]) -> ProtocolRun:
    """Make a run that gives each method the same recall and precision on every image."""
    run = ProtocolRun.objects.create(
        dataset=study.dataset, name=name, version="1", origin=ProtocolRun.Origin.IMPORTED
    )
    Score.objects.bulk_create(
        Score(run=run, result=result, recall=value, precision=value, f_score=value)
        for result in Result.objects.filter(image__in=study.images.all()).select_related("method")
        if (value := scores.get(result.method.name)) is not None
    )
    return run


def make_street() -> Dataset:
    """Eight images of two words; one method finds one of them each time, another nothing."""
    dataset = make_dataset("street")
    half, empty = make_method(dataset, "half"), make_method(dataset, "empty")
    for at in range(8):
        image = make_image(dataset, f"img_{at}", truth=[(0, 0, 99, 39), (200, 0, 299, 39)])
        make_result(image, half, [(0, at, 99, 39)])
        make_result(image, empty, [])
    return dataset
