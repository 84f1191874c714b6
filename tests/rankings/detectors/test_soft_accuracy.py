"""Pairwise accuracy over a dataset: p-values by all permutations, and studies that are hardly any."""

from itertools import product

import numpy as np
import pytest

from rankings.detectors.method_strengths import people_of
from rankings.detectors.soft_accuracy import Accuracy, Options, compared
from rankings.detectors.tallies import Tallies, figures, slopes, tallies_of_rows
from rankings.errors import RankingError
from rankings.orders.buckets import from_values
from tests.support.cases import cases
from tests.support.rankings import tallies_of_scores

METHODS = ("a", "b", "c")


def study(n_images=7, n_protocols=2, methods=METHODS, n_annotators=2, seed=1):
    """Return rankings and sums of a small study in which nothing is undefined."""
    rng = np.random.default_rng(seed)
    images = tuple(f"img_{at}" for at in range(n_images))
    rankings = {
        image: {
            f"annotator-{at}": from_values(
                [(name, int(rng.integers(3))) for name in methods], descending=True
            )
            for at in range(n_annotators)
        }
        for image in images
    }
    shape = (n_images, n_protocols, len(methods))
    truth = np.broadcast_to(rng.integers(1, 6, size=(n_images, 1, 1)), shape)
    found = rng.integers(1, 6, size=shape)
    sums = np.stack([truth * rng.random(shape), truth, found * rng.random(shape), found], axis=-1)
    protocols = tuple(f"protocol-{at}" for at in range(n_protocols))
    return rankings, Tallies(images, protocols, methods, sums, np.ones(shape, dtype=bool))


def answer(rankings, tallies, criterion="recall", **options):
    people = people_of(rankings)
    leads = people.leads.sum(axis=0).astype(float)
    return compared({criterion: people}, {criterion: leads}, tallies, Options(**options))[criterion]


def figure(rows, criterion, beta):
    """A figure of rows of four parts, in plain Python."""
    recalled, n_truth, precise, n_detections = (sum(column) for column in zip(*rows, strict=True))
    recall, precision = recalled / n_truth, precise / n_detections
    if criterion == "recall":
        return recall
    if criterion == "precision":
        return precision
    return (1 + beta**2) * recall * precision / (beta**2 * precision + recall)


def share_above(differences):
    """The share of the differences above the first, and half of those equal to it."""
    observed = differences[0]
    above = sum(one > observed + 1e-9 for one in differences)
    same = sum(abs(one - observed) <= 1e-9 for one in differences)
    return (above + same / 2) / len(differences)


@cases("criterion", ["recall", "precision", "preference"])
def test_p_values_are_those_of_all_permutations(criterion):
    rankings, tallies = study()
    ours = answer(rankings, tallies, criterion, beta=2.0)
    people = people_of(rankings)
    assert ours.is_exact
    assert ours.n_permutations == 2**7
    for pair, (a, b) in enumerate(zip(ours.first.tolist(), ours.second.tolist(), strict=True)):
        for protocol in range(2):
            own = tallies.sums[:, protocol]
            differences = []
            for swaps in product([False, True], repeat=7):
                first = [own[at, b if swap else a] for at, swap in enumerate(swaps)]
                second = [own[at, a if swap else b] for at, swap in enumerate(swaps)]
                differences.append(figure(first, criterion, 2.0) - figure(second, criterion, 2.0))
            assert ours.p_protocols[protocol, pair] == pytest.approx(share_above(differences))
        leads = [
            int(
                (
                    people.leads[people.image_of == at, a] - people.leads[people.image_of == at, b]
                ).sum()
            )
            for at in range(7)
        ]
        differences = [
            sum(-lead if swap else lead for lead, swap in zip(leads, swaps, strict=True))
            for swaps in product([False, True], repeat=7)
        ]
        assert ours.p_people[pair] == pytest.approx(share_above(differences))


def test_random_permutations_come_near_all_of_them():
    rankings, tallies = study(n_images=13, seed=3)
    ours = answer(rankings, tallies, n_permutations=20_000, n_resamples=1)
    assert not ours.is_exact
    swaps = np.array(list(product([0, 1], repeat=13)))
    for protocol in range(2):
        own = tallies.sums[:, protocol, :, :2]
        for pair, (a, b) in enumerate(zip(ours.first, ours.second, strict=True)):
            moved = swaps @ (own[:, b] - own[:, a])
            first, second = own[:, a].sum(axis=0) + moved, own[:, b].sum(axis=0) - moved
            differences = first[:, 0] / first[:, 1] - second[:, 0] / second[:, 1]
            assert ours.p_protocols[protocol, pair] == pytest.approx(
                share_above(differences.tolist()), abs=0.015
            )


def test_accuracies_are_means_over_the_pairs():
    rankings, tallies = study()
    ours = answer(rankings, tallies, "precision")
    for protocol in range(2):
        soft = [
            1 - abs(p - q) for p, q in zip(ours.p_people, ours.p_protocols[protocol], strict=True)
        ]
        assert ours.soft[protocol].value == pytest.approx(sum(soft) / 3)
        leads = people_of(rankings).leads.sum(axis=0)
        shown = np.round(ours.figures[protocol], 4)
        agreed = [
            np.sign(leads[a] - leads[b]) == np.sign(shown[a] - shown[b])
            for a, b in ((0, 1), (0, 2), (1, 2))
        ]
        assert ours.hard[protocol].value == pytest.approx(sum(agreed) / 3)


def test_limits_hold_the_accuracy_and_widen_with_methods():
    rankings, tallies = study(n_images=40, methods=tuple("abcdef"), n_annotators=4)
    ours = answer(rankings, tallies)
    for one in (*ours.hard, *ours.soft):
        assert 0 <= one.low <= one.value <= one.high <= 1
        assert one.low_methods <= one.value <= one.high_methods


def test_equal_calls_give_equal_answers_and_another_seed_others():
    rankings, tallies = study(n_images=30)
    first, second = (answer(rankings, tallies, seed=seed).p_protocols for seed in (1, 1))
    assert first.tolist() == second.tolist()
    assert first.tolist() != answer(rankings, tallies, seed=2).p_protocols.tolist()


def test_the_order_of_two_methods_does_not_matter():
    rankings, tallies = study(n_images=30)
    turned = {"a": "z", "b": "y", "c": "x"}
    renamed = {
        image: {
            who: tuple(tuple(turned[name] for name in bucket) for bucket in ranking)
            for who, ranking in of_image.items()
        }
        for image, of_image in rankings.items()
    }
    mirrored = Tallies(
        tallies.images,
        tallies.protocols,
        ("x", "y", "z"),
        tallies.sums[:, :, ::-1],
        tallies.is_scored,
    )
    ours, theirs = answer(rankings, tallies), answer(renamed, mirrored)
    assert ours.p_people[::-1] == pytest.approx(1 - theirs.p_people)
    assert [one.value for one in ours.soft] == pytest.approx([one.value for one in theirs.soft])


def test_a_protocol_that_sees_what_people_see_is_right_throughout():
    rankings, tallies = study(n_images=30)
    people = people_of(rankings)
    # The mean over images of a score that grows with the lead.
    sums = np.zeros((30, 1, 3, 4))
    np.add.at(sums[:, 0, :, 0], people.image_of, people.leads / 100 + 0.5)
    sums[..., 1] = 2
    tallies = Tallies(tallies.images, ("people",), METHODS, sums, np.ones((30, 1, 3), dtype=bool))
    [own] = answer(rankings, tallies, decimals=None).soft
    assert own.value == pytest.approx(1)


def test_methods_that_are_alike_have_one_half():
    rankings = {f"img_{at}": {"x": (("a", "b"),)} for at in range(30)}
    scores = {image: {"p": {"a": (0.3, 0.7), "b": (0.3, 0.7)}} for image in rankings}
    ours = answer(rankings, tallies_of_scores(scores))
    assert (ours.p_people.tolist(), ours.p_protocols.tolist()) == ([0.5], [[0.5]])
    assert ours.soft == (Accuracy(1.0, 1.0, 1.0),)


def test_an_undefined_score_has_no_part_in_a_mean():
    tallies = tallies_of_scores(
        {"one": {"p": {"a": (0.5, None)}}, "two": {"p": {"a": (None, 1.0)}}, "three": {}}
    )
    assert tallies.sums[:, 0, 0].tolist() == [[0.5, 1, 0, 0], [0, 0, 1.0, 1], [0, 0, 0, 0]]
    assert tallies.is_scored[:, 0, 0].tolist() == [True, True, False]
    totals = tallies.sums.sum(axis=0)
    assert figures(totals, "recall", 1.0).tolist() == [[0.5]]
    assert figures(totals, "preference", 1.0).tolist() == [[pytest.approx(2 / 3)]]


def test_rows_give_sums():
    tallies = tallies_of_rows(
        {7: "one", 3: "two"},
        {5: "summed", 2: "mean"},
        {4: "b", 1: "a"},
        [
            [(7, 5, 1, 0.5, 0.2, 2, 4, 1, 5), (3, 2, 4, 0.5, None, None, None, None, None)],
        ],
        means=[2],
    )
    assert (tallies.images, tallies.protocols, tallies.methods) == (
        ("one", "two"),
        ("summed", "mean"),
        ("b", "a"),
    )
    assert tallies.sums[0, 0].tolist() == [[0, 0, 0, 0], [2, 4, 1, 5]]
    assert tallies.sums[1, 1].tolist() == [[0.5, 1, 0, 0], [0, 0, 0, 0]]
    assert tallies.is_scored.sum() == 2


def test_nothing_to_divide_by_is_zero():
    assert figures(np.zeros((1, 4)), "preference", 1.0).tolist() == [0.0]
    assert slopes(np.zeros((1, 4)), "preference", 1.0).tolist() == [[0.0] * 4]


@cases("criterion", ["recall", "precision", "preference"])
def test_slopes_are_those_of_small_steps(criterion):
    sums, step = np.array([3.0, 7.0, 4.0, 9.0]), 1e-6
    differences = [
        figures(sums + move, criterion, 2.0) - figures(sums - move, criterion, 2.0)
        for move in step * np.eye(4)
    ]
    assert slopes(sums, criterion, 2.0) == pytest.approx(np.array(differences) / (2 * step))


def test_one_image_one_annotator_and_two_methods_have_a_value_without_limits():
    rankings, tallies = study(n_images=1, methods=("a", "b"), n_annotators=1)
    [own, _] = answer(rankings, tallies).soft
    assert own.value is not None
    assert (own.low, own.high, own.low_methods, own.high_methods) == (None,) * 4


def test_two_methods_have_limits_over_images_alone():
    rankings, tallies = study(n_images=20, methods=("a", "b"))
    [own, _] = answer(rankings, tallies).soft
    assert own.low <= own.value <= own.high
    assert (own.low_methods, own.high_methods) == (None, None)


def test_one_method_has_no_accuracy():
    rankings, tallies = study(methods=("a",))
    assert answer(rankings, tallies).soft == (Accuracy(None), Accuracy(None))


def test_a_ranking_without_a_method_says_nothing_of_its_pairs():
    rankings, tallies = study(n_images=8)
    rankings["img_0"] = {"annotator-0": (("c",), ("a",))}
    ours = answer(rankings, tallies)
    del rankings["img_0"]
    rest = answer(
        rankings, tallies.of([f"img_{at}" for at in range(1, 8)], tallies.protocols, METHODS)
    )
    # a and b, b and c: as without the image, which either way adds nothing.
    assert ours.p_people[[0, 2]].tolist() == rest.p_people[[0, 2]].tolist()


@pytest.mark.release
def test_fifty_methods_and_two_hundred_annotators():
    rankings, tallies = study(
        n_images=20, n_protocols=1, methods=tuple(f"m{at:02}" for at in range(50)), n_annotators=200
    )
    [own] = answer(rankings, tallies, n_permutations=50, n_resamples=20).soft
    assert own.low <= own.value <= own.high


@cases(
    ("wrong", "says"),
    [
        ({"n_permutations": 0}, "n_permutations"),
        ({"n_resamples": 0}, "n_resamples"),
        ({"level": 1.0}, "level"),
        ({"beta": 0.0}, "beta"),
    ],
)
def test_settings_that_cannot_be_are_refused(wrong, says):
    with pytest.raises(RankingError, match=says):
        answer(*study(), **wrong)


def test_rankings_and_sums_of_different_methods_are_refused():
    rankings, tallies = study()
    with pytest.raises(RankingError, match="same images and methods"):
        answer(rankings, tallies.of(tallies.images, tallies.protocols, ("a", "b")))


def test_sums_are_checked():
    _, tallies = study()
    wrong = tallies.sums.copy()
    wrong[2, 1, 0, 0] = np.nan
    with pytest.raises(RankingError, match="img_2, protocol-1: a has a sum"):
        Tallies(tallies.images, tallies.protocols, METHODS, wrong, tallies.is_scored)
    with pytest.raises(RankingError, match="shape"):
        Tallies(tallies.images, ("p",), METHODS, wrong, tallies.is_scored)
