"""The next image of an annotator: by levels as by comparing all images, at any size of a study."""

import random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.datasets.models import Image, Result
from annotate.judging.image_allocation import n_images_of, own_images
from annotate.judging.image_order import ImageOrder
from annotate.judging.models import Assignment
from annotate.studies.models import StudyImage
from tests.support.cases import cases
from tests.support.factories import add_annotator, make_study

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def nearness(study, n_complete, n_annotators):
    """Return how near an image is to the annotators it needs, as the pages of a study describe it."""
    if n_complete >= (n_annotators or study.min_annotators):
        return 1, -n_complete
    return 0, 0 if n_complete >= study.min_annotators else -n_complete


def people_on(study, image):
    """Return how many rankings of an image are complete or in progress."""
    row = StudyImage.objects.get(study=study, image=image)
    return row.n_complete + Assignment.objects.filter(image=image, state="in_work").count()


@cases("seed", range(12))
def test_the_next_image_is_the_nearest_of_all_that_have_room(seed):
    """Compared with every image of the study, one by one."""
    rng = random.Random(seed)
    shared_out = {"max_annotators": rng.choice([3, 4]), "agreement_percent": 30}
    more = rng.choice([{}, shared_out | {"agreement_annotators": 5}])
    study = make_study(["a", "b"], images=15, min_annotators=rng.choice([1, 3]), **more)
    other, person = add_annotator(study), add_annotator(study)
    images = list(study.images.order_by("pk"))
    for image in images:
        StudyImage.objects.filter(image=image).update(n_complete=rng.randrange(6))
    for annotator, n in ((other, 8), (person, 4)):
        for position, image in enumerate(rng.sample(images, n), 1):
            state = rng.choice(["in_work", "incomplete"])
            Assignment.objects.create(
                study=study, image=image, annotator=annotator, position=position, state=state,
                items=[],
            )  # fmt: skip
    own = own_images(study, person, counts=True)
    begun = set(Assignment.objects.filter(annotator=person).values_list("image", flat=True))

    def has_room(row):
        most = row.n_annotators or study.max_annotators
        return study.max_annotators is None or people_on(study, row.image_id) < most

    left = [row for row in study.study_images.exclude(image__in=begun) if has_room(row)]
    assert own.n_images == n_images_of(study, person) == len(begun) + len(left)
    assert own.n_begun == 4
    assert own.first == ImageOrder(study, person).first_of_all(is_alone=own.is_alone)
    if own.is_alone or not left:
        return
    nearest = min(nearness(study, row.n_complete, row.n_annotators) for row in left)
    as_near = {
        row.image_id for row in left if nearness(study, row.n_complete, row.n_annotators) == nearest
    }
    assert own.first in as_near
    in_order = list(own.in_order())
    assert sorted(in_order) == sorted(row.image_id for row in left)


def larger(study, n):
    """Give a study so many images."""
    dataset, methods = study.dataset, list(study.methods.all())
    images = Image.objects.bulk_create(
        Image(dataset=dataset, name=f"more {at}", position=100 + at, truth=[]) for at in range(n)
    )
    Result.objects.bulk_create(
        Result(image=image, method=method, regions=[], n_regions=0, sha256=f"{at}")
        for image in images
        for at, method in enumerate(methods)
    )
    StudyImage.objects.bulk_create(StudyImage(study=study, image=image) for image in images)


def test_a_study_of_6000_images_is_read_by_as_few_rows_as_one_of_60():
    """The plan of the query reaches images by an index alone, for as many levels as there are."""
    study = make_study(["a", "b"], images=60)
    person, other = add_annotator(study), add_annotator(study)
    for annotator in (person, other):
        first = study.images.order_by("pk")[0]
        Assignment.objects.create(
            study=study, image=first, annotator=annotator, position=1, items=[]
        )
    found = []
    for n_more in (0, 5940):
        larger(study, n_more)
        with CaptureQueriesContext(connection) as asked:
            assert own_images(study, person).first is not None
        found.append((len(asked), len(ImageOrder(study, person).levels(counts=False))))
    assert found == [(1, 2)] * 2
    with connection.cursor() as cursor:
        is_sqlite = connection.vendor == "sqlite"
        if not is_sqlite:
            cursor.execute("ANALYZE annotate_studyimage")
        cursor.execute(f"EXPLAIN {'QUERY PLAN ' if is_sqlite else ''}{asked[0]['sql']}")
        plan = "\n".join(str(row[-1]) for row in cursor.fetchall())
    assert "study_images_by_rankings" in plan
    assert "Seq Scan on annotate_studyimage" not in plan
    assert not any(
        line.startswith(("SCAN one", "SCAN annotate_studyimage")) for line in plan.splitlines()
    )


def test_images_that_are_full_are_passed_over_unread():
    """Counting the rankings of each of 6,000 full images would read four blocks for an image."""
    if connection.vendor != "postgresql":
        pytest.skip("only PostgreSQL says how much it read")
    study = make_study(["a", "b"], images=60, max_annotators=3)
    person = add_annotator(study)
    larger(study, 5940)
    study.study_images.exclude(image=study.images.order_by("pk")[0]).update(n_complete=3)
    with CaptureQueriesContext(connection) as asked, connection.cursor() as cursor:
        cursor.execute("ANALYZE annotate_studyimage")
        assert own_images(study, person, counts=True).n_images == 1
        levels = next(query["sql"] for query in asked if "RECURSIVE" in query["sql"])
        cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {levels}")
        [[explained]] = cursor.fetchone()
    plan = explained["Plan"]
    assert plan["Shared Hit Blocks"] + plan["Shared Read Blocks"] < 1000


def test_postgresql_compiles_no_plan():
    """Compiling the number of available images took a second on 10,000 images, counting them 20 ms."""
    if connection.vendor != "postgresql":
        pytest.skip("a setting of PostgreSQL")
    with connection.cursor() as cursor:
        cursor.execute("SHOW jit")
        assert cursor.fetchone() == ("off",)
