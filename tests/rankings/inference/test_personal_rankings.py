"""The rankings of people and protocols side by side, and what is measured between them."""

from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankings.agreement.baselines import A_PERSON, against_a_person
from rankings.agreement.ties import tied_shares
from rankings.consensus.mean_rank import mean_rank
from rankings.errors import MissingScore, RankingError
from rankings.inference.multi_reader import compare_protocols
from rankings.inference.personal_rankings import personal_rankings_from_scores
from rankings.orders.buckets import bucket_of
from rankings.orders.edit_distance import edit_distance
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
    to_people = {name: [] for name in PROTOCOLS}
    to_others = {name: [] for name in (*PROTOCOLS, A_PERSON)}
    ties = {name: [] for name in PROTOCOLS}
    for image, of_image in people.items():
        for name, ranking in of_image.items():
            others = [other for who, other in of_image.items() if who != name]
            if others:
                goal = mean_rank(others)
                to_others[A_PERSON].append(edit_distance(ranking, goal).distance)
            for protocol in PROTOCOLS:
                to_people[protocol].append(edit_distance(own[image][protocol], ranking).distance)
                if others:
                    apart = edit_distance(own[image][protocol], goal).distance
                    to_others[protocol].append(apart)
        n = len(scores[image]["x"])
        if of_image and n > 1:
            for protocol in PROTOCOLS:
                of_buckets = sum(len(of) * (len(of) - 1) for of in own[image][protocol])
                ties[protocol].append(of_buckets / (n * (n - 1)))
    for tested, expected in (
        (compare_protocols(rankings), to_people),
        (against_a_person(rankings), to_others),
    ):
        assert tested.protocols == tuple(expected)
        for mean, of_protocol in zip(tested.means, expected.values(), strict=True):
            assert mean == (pytest.approx(fmean(of_protocol)) if of_protocol else None)
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
