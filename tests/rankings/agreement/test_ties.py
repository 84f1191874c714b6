"""Shares of tied pairs."""

import pytest

from rankings.agreement.ties import TiedShares, tied_shares
from tests.support.rankings import personal_rankings


def test_shares_by_hand():
    """Three methods have 3 pairs: a=b>c ties 1, a=b=c all; means over the images of each name."""
    strict, couple, all_tied = (("a",), ("b",), ("c",)), (("a", "b"), ("c",)), (("a", "b", "c"),)
    people = {"1": {"ann": strict, "ben": couple}, "2": {"ann": all_tied}}
    protocols = {"1": {"P": couple}, "2": {"P": couple}}
    shares = tied_shares(personal_rankings(people, protocols, ["P"]), {"1": strict, "2": couple})
    assert shares.annotators == {"ann": pytest.approx(1 / 2), "ben": pytest.approx(1 / 3)}
    assert shares.consensus == pytest.approx(1 / 6)
    assert shares.protocols == {"P": pytest.approx(1 / 3)}


def test_without_a_pair_there_is_no_share():
    assert tied_shares(personal_rankings({}, {}, ["P"]), {}) == TiedShares({}, None, {"P": None})
    alone = (("a",),)
    assert tied_shares(
        personal_rankings({"1": {"ann": alone}}, {}, []), {"1": alone}
    ).annotators == {"ann": None}
