"""The rankings of people and protocols side by side, and what is measured between them."""

from itertools import permutations
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankings.agreement.baselines import with_baselines
from rankings.agreement.ties import tied_shares
from rankings.errors import MissingScore, RankingError
from rankings.inference.multi_reader import compare_protocols
from rankings.inference.personal_rankings import personal_rankings_from_scores
from rankings.inference.stand_in import stand_in
from rankings.orders.buckets import bucket_of, methods_of
from rankings.orders.distances import kemeny_distance
from rankings.orders.from_scores import ranking_from_scores
from tests.support.cases import cases
from tests.support.rankings import by_text, personal_rankings, rankings_of

METHODS = "abcde"
PROTOCOLS = ["y", "x"]


@st.composite
def studies(draw):
    """Images of one to five methods, ranked by none, some or all of three people."""
    people, scores = {}, {}
    for image in draw(st.lists(st.sampled_from("ijklmn"), unique=True)):
        methods = METHODS[: draw(st.integers(1, 5))]
        names = draw(st.lists(st.sampled_from("pqr"), unique=True))
        people[image] = {name: draw(rankings_of(methods)) for name in names}
        values = st.fixed_dictionaries(dict.fromkeys(methods, st.sampled_from([0.1, 0.5, 0.50001])))
        scores[image] = {name: draw(values) for name in PROTOCOLS}
    return people, scores


def loss(one, other):
    """How many of 100 pairs two rankings order differently, each from its definition."""
    n = len(methods_of(one))
    return 100 * kemeny_distance(one, other) / (n * (n - 1) / 2) if n > 1 else 0


def places(ranking):
    return [place for _, place in sorted(bucket_of(ranking).items())]


def ranked(scores):
    return {
        image: {name: ranking_from_scores(values) for name, values in of_image.items()}
        for image, of_image in scores.items()
    }


@given(studies())
def test_each_ranking_is_where_its_image_and_its_owner_say(study):
    people, scores = study
    own = ranked(scores)
    for found in (
        personal_rankings(people, own, PROTOCOLS),
        personal_rankings_from_scores(people, scores, PROTOCOLS),
    ):
        assert list(found.images) == sorted(image for image in people if people[image])
        assert list(found.annotators) == sorted({name for of in people.values() for name in of})
        assert list(found.protocols) == PROTOCOLS
        seen = {}
        for group in found.groups:
            assert group.images.tolist() == sorted(group.images.tolist())
            for at, row in enumerate(group.images.tolist()):
                names = [found.annotators[number] for number in group.annotators[at].tolist()]
                image = found.images[row]
                seen[image] = dict(zip(names, group.people[at].tolist(), strict=True))
                assert group.protocols[at].tolist() == [places(own[image][p]) for p in PROTOCOLS]
        assert seen == {
            image: {name: places(ranking) for name, ranking in of_image.items()}
            for image, of_image in people.items()
            if of_image
        }


@given(studies())
def test_distances_and_ties_are_those_of_each_ranking_alone(study):
    people, scores = study
    own = ranked(scores)
    rankings = personal_rankings_from_scores(people, scores, PROTOCOLS)
    losses = {name: [] for name in (*PROTOCOLS, "all tied", "random order")}
    of_person = {name: [] for name in PROTOCOLS}
    ties = {name: [] for name in PROTOCOLS}
    for image, of_image in people.items():
        for ranking in of_image.values():
            for protocol in PROTOCOLS:
                losses[protocol].append(loss(own[image][protocol], ranking))
            losses["all tied"].append(loss((tuple(methods_of(ranking)),), ranking))
            losses["random order"].append(50 * (len(methods_of(ranking)) > 1))
        pairs = [*permutations(of_image.values(), 2)]
        for protocol in PROTOCOLS if pairs else ():
            apart = fmean(loss(own[image][protocol], ranking) for ranking in of_image.values())
            of_person[protocol].append(apart - fmean(loss(*pair) for pair in pairs))
        n = len(scores[image]["x"])
        if of_image and n > 1:
            for protocol in PROTOCOLS:
                of_buckets = sum(len(of) * (len(of) - 1) for of in own[image][protocol])
                ties[protocol].append(of_buckets / (n * (n - 1)))
    tested = compare_protocols(rankings)
    assert tested.protocols == tuple(PROTOCOLS)
    assert dict(zip(PROTOCOLS, tested.means, strict=True)) == {
        name: pytest.approx(fmean(losses[name])) if losses[name] else None for name in PROTOCOLS
    }
    if rankings.images:
        measured = with_baselines(rankings)
        assert measured.protocols == tuple(losses)
        assert measured.means() == pytest.approx([fmean(of) for of in losses.values()])
    assert {one.name: one.difference for one in stand_in(rankings).candidates} == {
        name: pytest.approx(fmean(of), abs=1e-9) if of else None for name, of in of_person.items()
    }
    found = tied_shares(rankings, {}).protocols
    assert found == {name: pytest.approx(fmean(of)) if of else None for name, of in ties.items()}


@cases(
    ("people", "protocols", "message"),
    [
        ({"p": by_text("a>b"), "q": by_text("a")}, {"x": by_text("a>b")}, "i: .*: b"),
        ({"p": by_text("a")}, {"y": by_text("a")}, "i, x"),
        ({"p": by_text("a>a")}, {"x": by_text("a>b")}, "ranked twice: a"),
    ],
)
def test_rankings_that_do_not_fit_are_refused_by_image(people, protocols, message):
    with pytest.raises(RankingError, match=message):
        personal_rankings({"i": people}, {"i": protocols}, ["x"])


def test_a_missing_score_and_decimals_that_cannot_be_are_refused():
    people = {"i": {"p": by_text("a>b")}}
    with pytest.raises(MissingScore, match="i, x: b has no score"):
        personal_rankings_from_scores(people, {"i": {"x": {"a": 0.5}}}, ["x"])
    with pytest.raises(RankingError, match="decimals"):
        personal_rankings_from_scores({}, {}, [], decimals=99)
