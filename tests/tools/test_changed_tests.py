"""A change selects the tests that it can reach."""

import pytest

from tools.changed_tests import tests_of as reached_by


@pytest.mark.parametrize(
    ("path", "test"),
    [
        ("rankings/orders/edit_distance.py", "tests/rankings/orders/test_edit_distance.py"),
        # By way of what imports it.
        ("rankings/orders/edit_distance.py", "tests/rankings/agreement/test_report.py"),
        ("protocols/iou.py", "tests/protocols/test_iou_matching.py"),
        # By a slug.
        ("protocols/tedeval.py", "tests/protocols"),
        # By an address.
        ("annotate/reports/views.py", "tests/annotate/reports"),
        ("annotate/reports/views.py", "tests/annotate/test_permissions.py"),
        ("tests/rankings/orders/test_packed.py", "tests/rankings/orders/test_packed.py"),
        ("tests/annotate/conftest.py", "tests/annotate"),
        ("templates/reports/report.html", "tests"),
        ("pyproject.toml", "tests"),
    ],
)
def test_a_change_selects_what_it_reaches(path, test):
    assert test in reached_by([path])


def test_a_change_selects_nothing_else():
    selected = reached_by(["rankings/orders/edit_distance.py"])
    assert [test for test in selected if test.startswith("tests/protocols")] == []


def test_no_change_selects_no_test():
    assert reached_by([]) == []
