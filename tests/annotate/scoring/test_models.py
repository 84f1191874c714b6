"""Scores in the database: shares or undefined, and nothing that is no number."""

import math

import pytest
from django.db import IntegrityError, transaction

from annotate.scoring.models import Score
from tests.support.factories import make_run, make_study

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("name", ["recall", "precision", "f_score"])
@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, -0.1, 1.1])
def test_a_score_that_is_no_share_is_refused_or_undefined(name, value):
    """SQLite stores no NaN: it is undefined there, and refused by PostgreSQL."""
    study = make_study(["a", "b"])
    make_run(study, "IOU", {"a": 0.5, "b": 0.5})
    try:
        with transaction.atomic():
            Score.objects.update(**{name: value})
    except IntegrityError:
        assert set(Score.objects.values_list(name, flat=True)) == {0.5}
    else:
        assert math.isnan(value)
        assert set(Score.objects.values_list(name, flat=True)) == {None}
