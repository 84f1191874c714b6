"""One rule for numbers in few decimals, on pages and in files."""

from decimal import Decimal
from fractions import Fraction

from django.template.defaultfilters import floatformat
from hypothesis import given
from hypothesis import strategies as st

from rankings.agreement.main_table import row_from_json
from rankings.agreement.report import CriterionReport, Report, Settings
from rankings.output import report_files, table_files
from rankings.output.table import Table, number
from rankings.rounding import in_decimals, p_in_words, p_value
from tests.support.cases import cases


@cases(
    ("value", "digits", "text"),
    [
        # An eighth is exact in binary; half to even would give 6.12.
        (6.125, 2, "6.13"),
        (6.375, 2, "6.38"),
        # Below the half in binary, at it in decimals: 107 / 40 and 201 / 200.
        (2.675, 2, "2.68"),
        (1.005, 2, "1.01"),
        (0.5, 0, "1"),
        (1.5, 0, "2"),
        (-6.125, 2, "-6.13"),
        (-0.004, 2, "0.00"),
        (0.0, 2, "0.00"),
        (6, 2, "6.00"),
        (1e-7, 3, "0.000"),
        (1e16, 1, "10000000000000000.0"),
    ],
)
def test_a_half_goes_away_from_zero(value, digits, text):
    assert in_decimals(value, digits) == text


# Means of distances: quarters over a number of images, where halves are frequent.
MEANS = st.builds(
    lambda quarters, images: quarters / (4 * images), st.integers(0, 4000), st.integers(1, 250)
)


@given(st.one_of(MEANS, st.floats(-1e6, 1e6, width=32)), st.integers(0, 4))
def test_it_is_the_nearest_and_what_pages_show(value, digits):
    shown = in_decimals(value, digits)
    exact = Fraction(repr(value))
    assert abs(Fraction(shown) - exact) <= Fraction(1, 2 * 10**digits)
    assert Decimal(shown).as_tuple().exponent == (-digits if digits else 0)
    # Templates write numbers by Django's filter.
    assert shown == floatformat(value, digits)


@cases(
    ("p", "said"),
    [
        (0.0, "p < 0.001"),
        (0.0009999, "p < 0.001"),
        (0.001, "p = 0.001"),
        (0.25, "p = 0.250"),
    ],
)
def test_no_p_value_is_shown_as_zero(p, said):
    assert p_in_words(p) == said
    assert p_value(p) == said.removeprefix("p ").removeprefix("= ")


def _row(name, best, worst, score):
    return row_from_json({"protocol": name, "best": best, "worst": worst, "score": score})


def test_files_round_as_the_page_does():
    of_criterion = CriterionReport(
        rows=(_row("x", 8, 0, 6.125), _row("y", 0, 8, 2.675)),
        baselines=(_row("z", None, None, 1.005),),
        n_images=8,
        n_rankings=8,
        left_out=(),
        consensus={},
        distances={},
    )
    report = Report(Settings(), {"recall": of_criterion})
    around = Table("t", "T", "", (number("Score"),), ((6.125,), (2.675,), (1.005,)))
    for text in (
        report_files.to_markdown(report, {}),
        report_files.to_latex(report, {}),
        table_files.to_markdown(around, {}),
        table_files.to_latex(around, {}),
    ):
        assert all(shown in text for shown in ("6.13", "2.68", "1.01"))
    assert [floatformat(score, 2) for score in (6.125, 2.675, 1.005)] == ["6.13", "2.68", "1.01"]
