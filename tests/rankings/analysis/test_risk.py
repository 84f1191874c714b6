"""The risk that a report names, and the page of measured errors."""

import re
from math import sqrt
from pathlib import Path

from rankings.analysis.verdicts import n_different, risk_of

PAGE = Path(__file__).parents[3] / "docs" / "validation" / "verdicts.md"


def test_no_measured_error_is_above_the_named_risk():
    text = PAGE.read_text(encoding="utf-8")
    n_studies = int(re.search(r"(\d+) studies a row", text)[1])
    rows = re.findall(r"^(\d+) protocols, (\d+) annotators +([\d.]+)%", text, re.MULTILINE)
    assert len(rows) >= 10
    for protocols, annotators, percent in rows:
        risk = risk_of(int(annotators), int(protocols)) / 100
        # By more than chance makes of so many studies.
        most = risk + 2 * sqrt(risk * (1 - risk) / n_studies)
        assert float(percent) / 100 <= most, (protocols, annotators)


def test_more_annotators_never_name_a_higher_risk():
    for n_protocols in (2, 3, 5, 15):
        risks = [risk_of(n, n_protocols) for n in range(2, 20)]
        assert risks == sorted(risks, reverse=True)


def test_protocols_that_order_all_images_alike_are_counted_once():
    tested = {"protocols": ["p", "q", "r", "s"], "equal": [["p", "r"]]}
    assert n_different(tested) == 3
    assert n_different({"protocols": ["p", "q"]}) == 2
