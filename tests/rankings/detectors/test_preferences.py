"""People's preferences between detectors: losses by counting, tests by hand, sentences of small studies."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import t as student

from rankings.analysis.analysis import plain
from rankings.analysis.detector_verdicts import beside_figures, preferred
from rankings.detectors.method_strengths import people_of
from rankings.detectors.preferences import places_before
from rankings.detectors.soft_accuracy import Options
from rankings.detectors.standings import detectors, preferences_alone
from rankings.detectors.tallies import Tallies
from rankings.inference.clusters import Declared
from tests.support.cases import listed
from tests.support.rankings import tallies_of_scores

NOTHING = tallies_of_scores({})


def ranked(text):
    """Return the ranking of a text such as "a bc": a before b and c, which are tied."""
    return tuple(tuple(bucket) for bucket in text.split())


def study(orders):
    """Return rankings of image -> annotator -> text."""
    return {
        image: {name: ranked(text) for name, text in of.items()} for image, of in orders.items()
    }


def found_in(orders, tallies=NOTHING, **others):
    found = preferences_alone({"recall": study(orders)}, tallies, Options(), **others)
    return plain(found["recall"])


def drawn(n_images, n_annotators, worse, seed=1):
    """Return orders by quality and noise, detectors worse by so much, in steps."""
    rng, names, orders = np.random.default_rng(seed), "abcdefghij"[: len(worse)], {}
    for image in range(n_images):
        quality = rng.normal(size=len(worse)) - worse
        for annotator in range(n_annotators):
            levels = np.round(2 * (quality + 0.5 * rng.normal(size=len(worse))))
            buckets = [
                "".join(names[at] for at in np.flatnonzero(levels == level))
                for level in sorted({*levels}, reverse=True)
            ]
            orders.setdefault(f"{image:02}", {})[f"{annotator:02}"] = " ".join(buckets)
    return orders


def test_a_loss_is_the_share_of_other_detectors_placed_before_ties_half():
    orders = {"1": {"x": "b ac d", "y": "abcd"}, "2": {"x": "d c b a", "y": "ab cd"}}
    rows = [place for of in orders.values() for place in of.values()]
    for text, losses in zip(rows, places_before(people_of(study(orders))).distances, strict=True):
        place = {name: at for at, bucket in enumerate(text.split()) for name in bucket}
        for name, loss in zip("abcd", losses, strict=True):
            others = [place[other] for other in "abcd" if other != name]
            before = sum(other < place[name] for other in others)
            tied = sum(other == place[name] for other in others)
            assert Fraction(loss).limit_denominator(100) == Fraction(100 * (2 * before + tied), 6)


def test_two_detectors_are_tested_as_an_analysis_of_variance_by_hand():
    n, k = 12, 4
    orders = drawn(n, k, [0.0, 0.6])
    [pair] = found_in(orders)["comparisons"]["pairs"]
    value = {"a b": -100.0, "b a": 100.0, "ab": 0.0}
    table = np.array([[value[text] for text in of.values()] for of in orders.values()])
    mean = table.mean()
    of_images = k * ((table.mean(axis=1) - mean) ** 2).sum() / (n - 1)
    of_annotators = n * ((table.mean(axis=0) - mean) ** 2).sum() / (k - 1)
    left = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + mean
    rest = (left**2).sum() / ((n - 1) * (k - 1))
    variance = (of_images + of_annotators - rest) / (n * k)
    degrees = (of_images + of_annotators - rest) ** 2 / (
        of_images**2 / (n - 1) + of_annotators**2 / (k - 1) + rest**2 / ((n - 1) * (k - 1))
    )
    assert of_images > rest
    assert pair["difference"] == pytest.approx(mean, rel=1e-12)
    p_value = 2 * student.sf(abs(mean) / variance**0.5, degrees)
    assert pair["p_value"] == pytest.approx(p_value, rel=1e-9)


def test_people_prefer_one_to_all_others_and_the_rest_is_undecided():
    found = found_in(drawn(60, 6, [0.0, 2.0, 2.0]))
    assert preferred("recall", found) == (
        "By recall, people prefer a to all others; between b and c nothing is decided "
        "(360 rankings of 60 images by 6 annotators)."
    )
    assert found["letters"] == {"a": "a", "b": "b", "c": "b"}


def test_of_many_detectors_the_sentence_names_the_first_groups():
    said = preferred("recall", found_in(drawn(60, 5, np.arange(10) / 8)))
    assert said.count("between") == 2
    assert " others" in said
    assert "of 45 pairs are decided (300 rankings" in said


def test_nothing_is_decided_between_equal_detectors():
    said = preferred("recall", found_in(drawn(40, 3, [0.0, 0.0, 0.0])))
    assert said.startswith("By recall, between ")
    assert "nothing is decided" in said
    assert "prefer" not in said


def test_a_difference_that_is_the_same_in_every_ranking_has_no_test():
    orders = {f"{at}": {"x": "a bc", "y": "a bc"} for at in range(4)}
    found = found_in(orders)
    assert preferred("recall", found) == (
        "By recall, between b and c nothing is decided; there is no test of differences that are the "
        "same in every ranking: a before b and a before c (8 rankings of 4 images by 2 annotators)."
    )
    assert {*found["letters"].values()} == {None}


@pytest.mark.parametrize(
    ("orders", "said"), listed(__file__, "there_is_one_sentence_where_nothing_can_be_tested")
)
def test_there_is_one_sentence_where_nothing_can_be_tested(orders, said):
    assert preferred("recall", found_in(orders)) == said


def test_rankings_that_lack_a_detector_are_counted_and_left_out():
    orders = drawn(20, 4, [0.0, 1.5, 1.5]) | {"99": {"00": "a b", "01": "b a"}}
    found = found_in(orders)
    assert found["n_partial"] == 2
    assert found["comparisons"]["n_rankings"] == 80
    assert beside_figures(found)[-1] == "2 rankings lack a detector and do not count here."


@pytest.mark.parametrize(
    ("n_annotators", "said"),
    [
        (2, "up to 17 %, and 52 % if people are of two opposite tastes."),
        (12, "up to 8 %."),
    ],
)
def test_the_risk_is_named_by_the_number_of_annotators(n_annotators, said):
    [risk] = beside_figures(found_in(drawn(10, n_annotators, [0.0, 0.0])))
    assert risk == f"The risk of calling any two equal detectors different is {said}"


def tallied(parts):
    """Return tallies of protocol -> image -> method -> (credit, divisor), for recall alone."""
    images, methods = sorted(next(iter(parts.values()))), "ab"
    sums = np.zeros((len(images), len(parts), 2, 4))
    for at, of_protocol in enumerate(parts.values()):
        for row, image in enumerate(images):
            for column, method in enumerate(methods):
                sums[row, at, column, :2] = of_protocol[image][method]
    return Tallies(
        tuple(images), tuple(parts), tuple(methods), sums, np.ones(sums.shape[:3], dtype=bool)
    )


def test_figures_beside_people_have_the_reason_for_which_they_differ():
    orders = drawn(12, 6, [0.0, 4.0])
    images = sorted(orders)
    agrees = {image: {"a": (9, 10), "b": (at % 3, 10)} for at, image in enumerate(images)}
    # a has more on eleven images of ten words each, b on one of 10,000 words.
    large = {image: {"a": (9, 10), "b": (at % 3, 10)} for at, image in enumerate(images)}
    large["11"] = {"a": (0, 10_000), "b": (9_000, 10_000)}
    turned = {image: {"a": (at % 3, 10), "b": (9, 10)} for at, image in enumerate(images)}
    # Half of the images each way, b a little better: no more than chance.
    chance = {
        image: {"a": (9, 10), "b": (1, 10)} if at % 2 else {"a": (1, 10), "b": (9.1, 10)}
        for at, image in enumerate(images)
    }
    named = {"agrees": agrees, "large": large, "turned": turned, "chance": chance}
    found = found_in(orders, tallied(named))
    of = {one["protocol"]: one for one in found["protocols"]}
    assert of["large"]["lead_of_100"] == pytest.approx(100 * (11 - 1) / 12)
    assert of["turned"]["lead_of_100"] == -100
    assert of["turned"]["p_value"] < 1e-6
    assert of["chance"]["p_value"] > 0.5
    said = " ".join(beside_figures(found))
    assert "the figures of agrees put a first, too." in said
    assert "the figures of turned put b first; image by image, too," in said
    assert "the figures of chance put b first, which by them does not differ significantly" in said


def test_figures_that_sums_turn_are_told_from_images_that_are_judged_otherwise():
    orders = drawn(12, 6, [0.0, 4.0])
    turned_by_sums = {
        image: {"a": (9, 10), "b": (1, 10)}
        if at < 7
        else {"a": (0, 1000 + at), "b": (900 + at, 1000 + at)}
        for at, image in enumerate(sorted(orders))
    }
    found = found_in(orders, tallied({"sums": turned_by_sums}))
    assert found["protocols"][0]["p_value"] <= 0.05
    assert (
        "image by image they put a before it more often, but some images weigh more"
        in (beside_figures(found)[0])
    )


def undecided():
    """Return orders by which people decide nothing, and the detector that is better by chance first."""
    orders = drawn(12, 4, [0.0, 0.0], seed=3)
    means = found_in(orders)["comparisons"]["means"]
    return orders, *(("a", "b") if means[0] < means[1] else ("b", "a"))


def test_where_people_decide_nothing_a_figure_does_not_contradict_them():
    orders, best, other = undecided()
    figures = {image: {best: (1, 10), other: (9, 10)} for image in orders}
    said = beside_figures(found_in(orders, tallied({"p": figures})))[0]
    assert said == (
        f"On these images the figures of p put {other} first; between it and {best} people decide nothing."
    )


def test_an_agreement_on_the_first_is_no_more_than_people_say():
    orders, best, other = undecided()
    figures = {image: {best: (9, 10), other: (1, 10)} for image in orders}
    assert beside_figures(found_in(orders, tallied({"p": figures})))[0] == (
        f"On these images the figures of p put {best} first; so do people on average, but not significantly."
    )
    tied = {image: dict.fromkeys(of, "ab") for image, of in orders.items()}
    assert len(beside_figures(found_in(tied, tallied({"p": figures})))) == 1


def test_groups_are_the_units_if_declared():
    orders = drawn(20, 6, [0.0, 1.0, 2.0])
    declared = Declared({f"{at:02}": f"site {at % 3}" for at in range(6)})
    tested = found_in(orders, declared=declared)["comparisons"]
    assert (tested["n_annotators"], tested["n_groups"], tested["n_images"]) == (3, 3, 20)
    # The rankings behind it are people's: 20 images by six.
    assert tested["n_rankings"] == 120


def test_the_whole_standings_have_the_same_preferences():
    people = {"recall": study(drawn(12, 3, [0.0, 1.0, 2.0]))}
    whole = detectors(people, NOTHING, Options(n_permutations=10, n_resamples=10))
    assert (
        whole.criteria["recall"].preferences
        == preferences_alone(people, NOTHING, Options())["recall"]
    )
