"""Costs and wrong pairs by kind of people: those of the benchmark, scaled to a number of methods."""

import re
from pathlib import Path

import pytest

from rankings.design.kinds import BY_KIND, kinds_table, of_repeated_mistakes

PAGE = Path(__file__).parents[3] / "docs" / "validation" / "elicitation.md"


def test_the_numbers_are_those_of_the_benchmark():
    """Of its second table; columns: insertion with 2 and 8 re-checks, careful, no repeats, every pair."""
    _, three = PAGE.read_text(encoding="utf-8").split("three criteria")
    lines = [line for line in three.splitlines() if "/" in line]
    shown = {}
    for line in lines:
        cells = re.findall(r"([\d.]+) \(\d+\) / +([\d.]+)", line)
        shown[line[:22].strip()] = tuple(
            (float(cells[at][0]), float(cells[at][1])) for at in (0, 2, 4)
        )
    names = {"no wrong answers": "exact"}
    assert {names.get(kind, kind): ways for kind, ways in BY_KIND.items()} == shown


def test_pairs_are_scaled_and_never_more_than_there_are_in_the_careful_order():
    ten = {row[0]: row[1:] for row in kinds_table(10).rows}
    assert ten["5 % wrong, each time"] == pytest.approx((26.5, 5.8, 36.5, 1.9, 45, 1.3))
    # Five results have 10 pairs and take 8 where ten take 25.
    five = {row[0]: row[1:] for row in kinds_table(5).rows}
    assert five["no wrong answers"][0] == pytest.approx(25.3 * 8 / 25)
    assert five["20 % wrong, each time"][2] == 10
    assert {row[4] for row in five.values()} == {10}


def test_where_mistakes_come_again_every_pair_is_offered_with_its_cost():
    said = of_repeated_mistakes(10, 10)
    assert "takes 45 pairs and 7.5 minutes a ranking" in said
    assert (
        "leaves 1.3 to 3.3 % of the pairs of ten results wrong, the careful order 5.5 to 12.4 %."
        in said
    )
