"""Constraints of the datasets' tables, and the drawing of regions."""

import pytest
from django.db import IntegrityError, transaction

from annotate.datasets.drawing import polygon_points
from annotate.datasets.models import Result
from protocols.core.regions import Region
from tests.support.cases import cases
from tests.support.factories import make_dataset, make_image, make_method, make_result


@pytest.mark.django_db
class TestConstraints:
    def test_an_image_name_is_unique_in_its_dataset_only(self):
        first, second = make_dataset(), make_dataset()
        make_image(first, "img_1")
        make_image(second, "img_1")
        with pytest.raises(IntegrityError), transaction.atomic():
            make_image(first, "img_1")

    def test_a_method_has_one_result_per_image(self):
        dataset = make_dataset()
        image, method = make_image(dataset), make_method(dataset)
        make_result(image, method)
        with pytest.raises(IntegrityError), transaction.atomic():
            make_result(image, method)

    def test_a_result_without_a_file_has_no_regions(self):
        dataset = make_dataset()
        result = make_result(make_image(dataset), make_method(dataset))
        with pytest.raises(IntegrityError), transaction.atomic():
            Result.objects.filter(pk=result.pk).update(had_file=False)

    def test_an_image_without_a_photograph_is_as_large_as_what_is_drawn(self):
        image = make_image(make_dataset(), truth=[(0, 0, 299, 199)])
        width, height = image.size_to_draw([Region.from_box(0, 0, 99, 399)])
        assert width > 300
        assert height > 400


@cases(
    ("convention", "points"),
    [("inclusive", "10,10 20,10 20,20 10,20"), ("points", "10,10 19,10 19,19 10,19")],
)
def test_an_inclusive_box_covers_its_last_pixel(convention, points):
    assert polygon_points(Region.from_box(10, 10, 19, 19), convention) == points


def test_a_polygon_is_drawn_as_it_is_given_with_its_fractions():
    region = Region(points=(0, 0, 10.5, 0, 9, 8.25))
    assert polygon_points(region, "inclusive") == "0,0 10.5,0 9,8.25"
