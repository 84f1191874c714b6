"""A change selects the tests that it can reach."""

from tests.support.cases import cases
from tools.changed_tests import ROOT
from tools.changed_tests import tests_of as reached_by


@cases(
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
    """Of the protocols' tests, only those that use the facade reach the rankings."""
    selected = reached_by(["rankings/orders/edit_distance.py"])
    of_protocols = [test for test in selected if test.startswith("tests/protocols")]
    assert [test for test in of_protocols if "text_rankings as tr" not in read(test)] == []
    assert "tests/protocols/test_iou_matching.py" not in selected


def read(test):
    return ROOT.joinpath(test).read_text()


def test_no_change_selects_no_test():
    assert reached_by([]) == []
