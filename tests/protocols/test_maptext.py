"""MapText: the program's own figures, its rules read a second time in plain loops, and what is undefined."""

import random
from dataclasses import replace
from itertools import permutations

import pytest
import shapely
from shapely.geometry import Polygon

from protocols import registry
from protocols.core.base import ImageScore, Scene, Tally
from protocols.core.regions import Region
from protocols.maptext import likeness_of
from tests.support import maptext
from tests.support.cases import cases
from tests.support.scenes import FAR, NEXT, WORD, figures, score

BOUND = 1e-9


# The program's figures


def test_every_scene_has_the_figures_of_the_program():
    deviations = dict(maptext.deviations_of_scenes())
    assert len(deviations) > 600
    assert {name for name, deviation in deviations.items() if deviation > BOUND} == set()


def test_all_scenes_together_have_the_figures_of_the_program():
    deviations = dict(maptext.deviations_together())
    assert len(deviations) == 26
    assert {name for name, deviation in deviations.items() if deviation > BOUND} == set()


@cases("task", ["detlink", "detreclink"])
def test_groups_without_words_are_all_that_2024_counts_more(task):
    """Three such groups of truth and of results in all; the program counts each as not found."""
    reference = maptext.reference()
    n_truth, n_found = (
        sum((given[side] or []).count([]) for given in reference["scenes"])
        for side in ("truth", "result")
    )
    assert n_truth == 2
    protocol = maptext.protocol_of("2024", task)
    overall = protocol.overall(protocol.score(list(map(maptext.scene_of, reference["scenes"]))))
    expected = reference["together"]["2024, IoU > 0.5"][task]
    sums = overall.indicators
    recall = sums["n_matched"] / (sums["n_counted_truth"] + n_truth)
    precision = sums["n_matched"] / (sums["n_counted_detections"] + n_found)
    assert recall == pytest.approx(expected["recall"], abs=BOUND)
    assert precision == pytest.approx(expected["precision"], abs=BOUND)
    assert overall.indicators["tightness"] == pytest.approx(expected["tightness"], abs=BOUND)


@cases(("variant", "pairs"), [("maptext", "words"), ("maptext:texts", "texts")])
def test_the_pairs_are_those_of_the_program(variant, pairs):
    for given in maptext.reference()["scenes"]:
        expected = given["pairs"].get(pairs, given["pairs"]["words"])
        scene = maptext.scene_of(given)
        [scored] = registry.get(variant).score([scene])
        counted = [(i, j) for i, j, _ in expected if not scene.truth[i].ignored]
        assert [match.truth + match.detections for match in scored.matches] == counted
        forgiven = {j for i, j, _ in expected if scene.truth[i].ignored}
        out = {of.index for of in scored.unmatched if of.side == "detection" and of.is_out}
        assert out == forgiven


TERMS = {
    "Det. Recall": "n_counted_truth",
    "Det. Precision": "n_counted_detections",
    "Link Recall": "n_truth_links",
    "Link Precision": "n_detected_links",
    "Det. Tightness": "sum_iou",
    "Char. Acc.": "sum_likeness",
}


def mean_of(row, variant, rounding):
    """Return our mean of a row of a table, from sums of one pair and one link that give its figures."""
    sums = {"n_matched": 1, "n_texts": 1, "n_found_links": 1, "n_in_groups": 1}
    for name, of in TERMS.items():
        value = (row.get(name, 50) + rounding) / 100
        sums[of] = value if of.startswith("sum") else 1 / value
    protocol = registry.get("maptext", variant)
    overall = protocol.overall([ImageScore(1, 1, 1, Tally(1, 1, 1, 1), indicators=sums)])
    return 100 * overall.indicators["hmean"]


def test_the_printed_tables_of_2025_follow_from_these_means():
    """Figures are per cent to one decimal; the French land registers leave tightness out."""
    rows = maptext.reference()["published"]["rows"]
    for row in rows:
        task = ("words", "links", "texts", "texts-links")[row["task"] - 1]
        variant = {"task": task, "use_tightness": row["subset"] != "ign"}
        low, high = (mean_of(row, variant, rounding) for rounding in (-0.05, 0.05))
        assert low - 0.05 <= row["HMean"] <= high + 0.05, row
    assert len(rows) == 42


def test_which_crossing_outlines_match_depends_on_geos():
    values = {"3.11.1": (3, 11), "3.14.1": (3, 14)}
    for given in maptext.reference()["by_version"]["scenes"]:
        known = {values[name]: of for name, of in given["values"].items()}
        if shapely.geos_version[:2] not in known:
            pytest.skip(f"no values for GEOS {shapely.geos_version_string}")
        expected = known[shapely.geos_version[:2]]
        [scored] = registry.get("maptext").score([maptext.scene_of(given)])
        assert scored.indicators["n_matched"] == expected["found"]
        assert scored.indicators["tightness"] == pytest.approx(expected["tightness"], abs=BOUND)


# A second reading of the rules


def iou_of(a, b):
    one, other = (Polygon(list(zip(of.points[::2], of.points[1::2], strict=True))) for of in (a, b))
    if one.area < 1e-5 or other.area < 1e-5:
        return 0.0
    try:
        return one.intersection(other).area / (one.union(other).area + 1e-5)
    except shapely.errors.GEOSException:
        return 0.0


def distance(a, b):
    if not a or not b:
        return len(a) + len(b)
    return min(
        distance(a[1:], b) + 1, distance(a, b[1:]) + 1, distance(a[1:], b[1:]) + (a[0] != b[0])
    )


def alike(a, b):
    d = distance(a, b)
    return 1 - 2 * d / (len(a) + len(b) + d) if a or b else 1.0


def worth(truth, found, task, use_tightness):
    iou = iou_of(truth, found)
    if iou <= 0.5:
        return -1.0
    if truth.ignored:
        return 1e-12
    return (iou if use_tightness else 1.0) * (
        alike(truth.text, found.text) if "texts" in task else 1.0
    )


def largest_sum(table, n_truth, n_found):
    """Try every assignment of the smaller side to the larger one."""
    if n_truth <= n_found:
        ways = permutations(range(n_found), n_truth)
        return max((sum(table[i, j] for i, j in enumerate(way)) for way in ways), default=0.0)
    ways = permutations(range(n_truth), n_found)
    return max((sum(table[i, j] for j, i in enumerate(way)) for way in ways), default=0.0)


def links_of(regions):
    return {
        (a, b)
        for a, first in enumerate(regions)
        for b, second in enumerate(regions)
        if a < b
        and first.parent == second.parent
        and not any(of.parent == first.parent for of in regions[a + 1 : b])
    }


def harmonic(values):
    return 0.0 if 0 in values else len(values) / sum(1 / value for value in values)


def divided(above, below):
    return above / below if below else 0.0


def drawn(random_, x, y, text, **fields):
    width, height = random_.choice([(20, 10), (24, 10), (20, 14)])
    dx, dy, lean = (random_.choice([0, 0, 1, 2, 4]) for _ in range(3))
    left, top = x + dx, y + dy
    points = (
        left,
        top,
        left + width,
        top + lean,
        left + width,
        top + height,
        left,
        top + height - lean / 2,
    )
    return Region(points, text, **fields)


def drawn_scene(seed):
    random_ = random.Random(seed)
    places = [(30 * (n % 2), 12 * (n // 2)) for n in range(3)]
    texts = ["", "###", "a", "ab", "Ab", "ba", "e\u0301", "\u00e9", "abc", "\U0001d4b3"]

    def side(n, **more):
        return tuple(
            drawn(
                random_,
                *random_.choice(places),
                random_.choice(texts),
                parent=random_.choice("012"),
                **{name: of() for name, of in more.items()},
            )
            for _ in range(n)
        )

    return Scene(
        side(random_.randrange(7), ignored=lambda: random_.random() < 0.25),
        side(random_.randrange(7)),
    )


VARIANTS = [
    (task, use_tightness)
    for task in ("words", "links", "texts", "texts-links")
    for use_tightness in (True, False)
]


@cases(("task", "use_tightness"), VARIANTS)
def test_drawn_scenes_come_out_as_a_literal_reading_says(task, use_tightness):
    """The assignment has the largest sum of all; everything else follows from it and is added up."""
    n_matched = 0
    protocol = registry.get("maptext", {"task": task, "use_tightness": use_tightness})
    for seed in range(80):
        scene = drawn_scene(seed)
        truth, found = scene.truth, scene.detections
        [scored] = protocol.score([scene])
        table = {
            (i, j): worth(one, other, task, use_tightness)
            for i, one in enumerate(truth)
            for j, other in enumerate(found)
        }
        pairs = {match.truth[0]: match.detections[0] for match in scored.matches}
        forgiven = {of.index for of in scored.unmatched if of.side == "detection" and of.is_out}
        n_unpaired = min(len(truth), len(found)) - len(pairs) - len(forgiven)
        total = sum(table[pair] for pair in pairs.items()) + 1e-12 * len(forgiven) - n_unpaired
        assert total == pytest.approx(largest_sum(table, len(truth), len(found)), abs=1e-9)
        assert not any(truth[i].ignored or table[i, j] == -1 for i, j in pairs.items())

        out = {i for i, one in enumerate(truth) if one.ignored}
        m, t, n = len(pairs), len(truth) - len(out), len(found) - len(forgiven)
        recall, precision = divided(m, t), divided(m, n)
        tightness = divided(sum(iou_of(truth[i], found[j]) for i, j in pairs.items()), m)
        terms = [recall, precision] + [tightness] * use_tightness
        if "texts" in task:
            texts = [alike(truth[i].text, found[j].text) for i, j in pairs.items()]
            terms.append(divided(sum(texts), m))
            assert scored.indicators["char_accuracy"] == pytest.approx(terms[-1])
        if "links" in task:
            back = {j: i for i, j in pairs.items()}
            of_truth, of_found = links_of(truth), links_of(found)
            right = sum((back.get(a), back.get(b)) in of_truth for a, b in of_found)
            for links, passed in ((of_truth, out), (of_found, forgiven)):
                terms.append(divided(right, sum(passed.isdisjoint(link) for link in links)))
            assert scored.indicators["edges_recall"] == pytest.approx(terms[-2])
            assert scored.indicators["edges_precision"] == pytest.approx(terms[-1])
        assert (scored.recall, scored.precision) == (recall, precision)
        assert scored.indicators["tightness"] == pytest.approx(tightness)
        assert scored.indicators["hmean"] == pytest.approx(harmonic(terms))
        n_matched += m
    assert n_matched > 40


@cases(
    ("a", "b"),
    [("Smith's", "Siniths"), ("four", "ABCD"), ("", "abc"), ("e\u0301", "\u00e9"), ("", "")],
)
def test_likeness_is_the_distance_of_yujian_and_bo(a, b):
    assert likeness_of(a, b) == pytest.approx(alike(a, b))
    assert likeness_of("Smith's", "Siniths") == pytest.approx(11 / 17)


# Ignored words, 2024, and what is undefined


def test_a_crossing_outline_is_no_pair_and_says_why():
    loop = Region((0, 0, 100, 0, 100, 40, 98, 42, 100, 42, 98, 40, 0, 40), text="word")
    [scored] = registry.get("maptext").score([Scene((WORD, NEXT), (loop, NEXT))])
    assert scored.indicators["n_refused_pairs"] == 1
    assert figures(scored) == (0.5, 0.5, 0.5)
    assert ["crosses itself" in of.reason for of in scored.unmatched] == [True, True]


def test_the_rules_of_2024_ask_for_equal_texts():
    other = replace(WORD, text="Word")
    assert score("maptext:texts", Scene((WORD,), (other,))).recall == 1
    scored = score("maptext:texts:2024", Scene((WORD,), (other,)))
    assert (scored.recall, scored.unmatched[0].reason) == (
        0,
        "read 'Word' where the text is 'word'",
    )
    ignored = replace(WORD, ignored=True)
    assert score("maptext:texts:2024", Scene((ignored,), (other,))).unmatched[1].is_out


def test_groups_of_2024_are_told_by_their_words():
    truth = (replace(WORD, parent="a"), replace(NEXT, parent="a"), replace(FAR, parent="b"))
    scored = score("maptext:links:2024", Scene(truth, truth[:2]))
    assert (scored.recall, scored.precision) == (0.5, 1)
    assert [(of.truth, of.detections, of.kind) for of in scored.matches] == [
        ((0, 1), (0, 1), "many-to-many")
    ]
    assert "hmean" not in scored.indicators
    assert scored.indicators["quality"] == pytest.approx(2 / 3, abs=1e-6)


def test_an_image_of_2024_without_a_figure_is_left_out():
    """Two words cross themselves and each other, so that GEOS refuses their union."""
    star = (50, 0, 79, 90, 2, 35, 98, 35, 21, 90)
    bad = tuple(
        Region(tuple(value + step for value in star), text="a", parent="0") for step in (0, 5)
    )
    protocol = registry.get("maptext:links:2024")
    scores = protocol.score([Scene((WORD,), (WORD,)), Scene((WORD,), bad)])
    assert [of.recall for of in scores] == [1, None]
    assert {of.reason[:8] for of in scores[1].unmatched} == {"left out"}
    overall = protocol.overall(scores)
    assert (overall.recall, overall.n_undefined) == (1, 1)
    nothing = protocol.overall(scores[1:])
    assert (nothing.recall, nothing.indicators["quality"]) == (None, None)


def test_figures_of_links_and_texts_are_undefined_where_the_data_have_none():
    bare = replace(WORD, text=None)
    of_links = score("maptext:links", Scene((WORD,), (WORD,)))
    assert (of_links.recall, of_links.indicators["edges_recall"]) == (1, None)
    assert of_links.indicators["hmean"] is None
    of_texts = score("maptext:texts", Scene((bare,), (WORD,)))
    assert (of_texts.recall, of_texts.indicators["char_accuracy"]) == (1, None)
    # The program's 0, where words could be linked and are not.
    single = score("maptext:links", Scene((replace(WORD, parent="0"),), (WORD,)))
    assert single.indicators["hmean"] == 0
