"""Properties by which a report divides a study's images."""

import pytest

from annotate.datasets.facts import shape_of
from annotate.judging import services as judging
from annotate.reports.properties import HEIGHT, SINGLE, TURNED, WORDS, image_properties
from annotate.reports.services import asked_now, study_report
from protocols.core.regions import Region, encode_regions
from rankings.agreement.report import Settings
from tests.support.cases import cases
from tests.support.factories import add_annotator, make_study

EQUAL = dict.fromkeys(("recall", "precision", "preference"), "equal")


@cases(
    ("points", "height", "angle"),
    [
        ((10, 10, 50, 10, 50, 20, 10, 20), 10, 0),
        # Turned by 90 degrees: the upper line runs down.
        ((20, 10, 20, 50, 10, 50, 10, 10), 10, 90),
        # Upside down is horizontal.
        ((50, 20, 10, 20, 10, 10, 50, 10), 10, 0),
        # A ramp of 30 x 40: 50 long, 10 high, turned by atan(30 / 40).
        ((0, 0, 40, 30, 34, 38, -6, 8), 10, 36.87),
        # Three points above, three below: as long as its upper line.
        ((0, 10, 10, 10, 20, 10, 20, 30, 10, 30, 0, 30), 20, 0),
        ((5, 5, 5, 5, 9, 9, 9, 9), None, 0),
    ],
)
def test_height_and_angle_by_hand(points, height, angle):
    found = shape_of(points)
    assert found[0] == (None if height is None else pytest.approx(height))
    assert found[1] == pytest.approx(angle, abs=0.01)


def test_properties_are_of_the_words_that_count(db, django_assert_num_queries):
    study = make_study(images=3)
    first, second, third = study.images.in_order()
    regions = [
        Region.from_box(0, 0, 40, 10),
        Region((20, 10, 20, 50, 14, 50, 14, 10)),
        Region.from_box(0, 0, 400, 100, ignored=True),
    ]
    first.truth = encode_regions(regions)
    second.truth = encode_regions([])
    third.truth = encode_regions(regions[2:])
    for image in (first, second, third):
        image.save()
    with django_assert_num_queries(2):
        by_name = {one.name: one.values for one in image_properties(study)}
    assert by_name[HEIGHT] == {first.name: 8, second.name: None, third.name: None}
    assert by_name[WORDS] == {first.name: 2, second.name: 0, third.name: 0}
    assert by_name[TURNED] == {first.name: 50, second.name: None, third.name: None}


def test_answers_in_single_view_divide_the_images(db):
    study = make_study(images=3)
    annotator = add_annotator(study)
    assert SINGLE not in {one.name for one in image_properties(study)}
    layouts = {"one": {"panes": "one", "scale": 0.3}, "beside": {"panes": "beside", "scale": 0.2}}
    turn = judging.start(study=study, annotator=annotator).turn
    first, n = turn.assignment.image, 0
    while turn and turn.assignment.image == first:
        layout, n = layouts["one" if n == 0 else "beside"], n + 1
        turn = judging.record_judgement(
            screen_id=turn.screen.public_id, annotator=annotator, verdicts=EQUAL, layout=layout
        ).turn
    second = turn.assignment.image
    judging.record_judgement(screen_id=turn.screen.public_id, annotator=annotator, verdicts=EQUAL)
    [by_view] = [one for one in image_properties(study) if one.name == SINGLE]
    assert by_view.unit == "%"
    assert by_view.values == {first.name: pytest.approx(100 / n)}, second


def test_the_tables_alone_need_no_ground_truth(db, monkeypatch):
    """They are for larger studies than are analysed at once."""
    study = make_study()
    monkeypatch.setattr("annotate.reports.inputs.image_properties", None)
    assert study_report(asked_now(study, Settings())).report
