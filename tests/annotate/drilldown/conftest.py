"""Studies of the pages behind a report's numbers, and a researcher who reads them."""

from copy import deepcopy

import pytest

from tests.support.factories import (
    make_run,
    make_study,
)
from tests.support.made_once import made_once
from tests.support.truths import rank_by, same_truth
from tests.support.worked import worked_study

STRICT = [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]
# The paper's figure 3: a = d > b > c > f > e.
FIGURE_3 = {"a": 0.9, "d": 0.9, "b": 0.8, "c": 0.7, "f": 0.6, "e": 0.5}


def _figure_3():
    """One image that three annotators rank a > b > c > d > e > f, and the protocol of figure 3."""
    study = make_study(list("abcdef"))
    rank_by(3, study, same_truth(STRICT))
    make_run(study, "Figure 3", FIGURE_3)
    return study


made_study = made_once(_figure_3)


made_worked = made_once(lambda: worked_study(photographs=False))


@pytest.fixture
def worked(made_worked, db):
    return deepcopy(made_worked)
