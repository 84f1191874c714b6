"""What holds for every protocol of the registry, whatever it measures."""

import copy
import math
from dataclasses import MISSING, fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols import registry
from protocols.core.base import Scene, f_score
from protocols.core.credits import CreditProtocol
from protocols.core.errors import ParameterError
from protocols.core.regions import Region

SLUGS = list(registry.PROTOCOLS)
CREDITED = [slug for slug, one in registry.PROTOCOLS.items() if issubclass(one, CreditProtocol)]
WORD, NEXT = (
    Region.from_box(0, 0, 100, 40, text="word"),
    Region.from_box(110, 0, 210, 40, text="next"),
)
IGNORED = Region.from_box(0, 100, 100, 140, text="###", ignored=True)
ON_IGNORED = Region.from_box(0, 100, 100, 140, text="word")
FAR = Region.from_box(900, 900, 950, 940, text="far")
# Sizes in pixels decide for the sentinels; a last pixel that is included is not twice as large in
# an image twice as large.
NOT_SCALE_FREE = {"total-area", "mean-size", "icdar13", "deteval", "deteval-wolf"}
# The nearest region to the image's corner goes first.
NOT_TRANSLATION_FREE = {"popeval"}

boxes = st.builds(
    lambda left, top, width, height: (left, top, left + width, top + height),
    st.integers(0, 60),
    st.integers(0, 30),
    st.integers(0, 40),
    st.integers(0, 20),
).map(lambda box: Region.from_box(*map(float, box)))
slanted = st.builds(
    lambda x, y, a, b, c, d: Region(
        tuple(map(float, (x, y + b, x + a, y, x + a + c, y + d, x + c, y + b + d)))
    ),
    *[st.integers(0, 60)] * 2,
    *[st.integers(1, 25)] * 4,
)
texts = st.text("abc", max_size=5)
truths = st.lists(
    st.builds(
        lambda region, text, ignored, line: replace(
            region, text="###" if ignored else text, ignored=ignored, parent=line
        ),
        boxes | slanted,
        texts,
        st.booleans(),
        st.sampled_from([None, "1", "2"]),
    ),
    max_size=5,
).map(tuple)
detections = st.none() | st.lists(
    st.builds(
        lambda region, text, confidence: replace(region, text=text, confidence=confidence),
        boxes | slanted,
        texts,
        st.sampled_from([None, 0.2, 0.5, 0.9]),
    ),
    max_size=5,
).map(tuple)
scenes = st.builds(
    lambda truth, found: Scene(truth, found, "image", 400.0, 300.0), truths, detections
)


def score(slug, scene, **parameters):
    [found] = registry.get(slug, parameters).score([scene])
    return found


def figures(found):
    return found.recall, found.precision, found.f_score


def close(a, b):
    return all(
        (x is None) == (y is None) and (x is None or math.isclose(x, y, abs_tol=1e-9))
        for x, y in zip(a, b, strict=True)
    )


def changed(scene, change):
    return replace(
        scene,
        truth=tuple(map(change, scene.truth)),
        detections=None if scene.detections is None else tuple(map(change, scene.detections)),
    )


@pytest.mark.parametrize("slug", SLUGS)
@given(scene=scenes)
def test_scores_are_shares_and_inputs_stay_as_they_were(slug, scene):
    before = copy.deepcopy(scene)
    found = score(slug, scene)
    assert scene == before
    assert all(value is None or 0 <= value <= 1 for value in figures(found))
    assert found == score(slug, scene), "the same again"
    assert all(value is None or math.isfinite(value) for value in found.indicators.values()), (
        found.indicators
    )


@pytest.mark.parametrize("slug", SLUGS)
@given(scene=scenes)
def test_the_f_score_is_the_harmonic_mean_of_recall_and_precision(slug, scene):
    """The one exception is published: an empty image of DETEVAL and ICDAR13 has R = P = 1, F = 0."""
    found = score(slug, scene)
    if slug in ("deteval", "icdar13") and not scene.truth and scene.detections == ():
        assert figures(found) == (1, 1, 0)
    else:
        assert close([found.f_score], [f_score(found.recall, found.precision)])


@pytest.mark.parametrize("slug", SLUGS)
@given(scene=scenes)
def test_other_images_do_not_matter(slug, scene):
    others = [Scene((WORD,), (WORD, NEXT), "first"), Scene((), (), "last")]
    among = registry.get(slug).score([others[0], scene, others[1]])[1]
    assert close(figures(among), figures(score(slug, scene)))
    assert len(among.matches) == len(score(slug, scene).matches)


@pytest.mark.parametrize("slug", SLUGS)
@given(scene=scenes)
def test_every_region_has_a_match_or_a_reason(slug, scene):
    if not registry.PROTOCOLS[slug].has_matches:
        assert score(slug, scene).matches == ()
        return
    found = score(slug, scene)
    for side, regions in (("truth", scene.truth), ("detections", scene.detections or ())):
        matched = {index for match in found.matches for index in getattr(match, side)}
        left = [one.index for one in found.unmatched if one.side == side.removesuffix("s")]
        assert matched.isdisjoint(left), "matched and yet with a reason why not"
        assert sorted([*matched, *left]) == list(range(len(regions)))
    assert all(one.reason for one in found.unmatched)
    for match in found.matches:
        assert len(set(match.truth)) == len(match.truth)
        assert len(set(match.detections)) == len(match.detections)
        assert match.recall_credit >= 0
        assert match.precision_credit >= 0


@pytest.mark.parametrize("slug", CREDITED)
@given(scene=scenes)
def test_the_credits_of_the_matches_add_up_to_the_tally(slug, scene):
    found = score(slug, scene)
    recalled = sum(match.recall_credit for match in found.matches)
    precise = sum(match.precision_credit for match in found.matches)
    # A missed text and a false positive are worth one bin each in histograms.
    if slug.startswith("evaltex-emd"):
        recalled += 0.01 * found.indicators["missed"]
        precise += 0.01 * found.indicators["fp"]
    assert recalled == pytest.approx(found.tally.recalled, abs=1e-9)
    assert precise == pytest.approx(found.tally.precise, abs=1e-9)


@pytest.mark.parametrize("slug", SLUGS)
@given(scene=scenes, order=st.randoms(use_true_random=False))
def test_the_order_of_regions_is_irrelevant_unless_it_is_said(slug, scene, order):
    protocol = registry.PROTOCOLS[slug]
    if protocol.depends_on_order:
        text = f"{protocol.__doc__} {protocol.__mro__[1].__doc__}"
        assert "order" in text, "a protocol that depends on order says so"
        return

    def shuffled(regions):
        return regions and tuple(order.sample(regions, len(regions)))

    other = replace(scene, truth=shuffled(scene.truth), detections=shuffled(scene.detections))
    assert close(figures(score(slug, other)), figures(score(slug, scene)))


@pytest.mark.parametrize("slug", [slug for slug in SLUGS if slug not in NOT_TRANSLATION_FREE])
@given(scene=scenes, right=st.integers(-500, 500), down=st.integers(-500, 500))
def test_moving_everything_changes_nothing(slug, scene, right, down):
    # Without a size, so that no image edge stands still.
    scene = replace(scene, width=None, height=None)

    def move(region):
        step = (right, down)
        return replace(
            region, points=tuple(value + step[at % 2] for at, value in enumerate(region.points))
        )

    assert close(figures(score(slug, changed(scene, move))), figures(score(slug, scene)))


@pytest.mark.parametrize("slug", [slug for slug in SLUGS if slug not in NOT_SCALE_FREE])
@given(scene=scenes, factor=st.sampled_from([2, 3, 8]))
def test_enlarging_everything_changes_nothing(slug, scene, factor):
    def enlarge(region):
        return replace(region, points=tuple(value * factor for value in region.points))

    enlarged = replace(
        changed(scene, enlarge), width=scene.width * factor, height=scene.height * factor
    )
    found, before = figures(score(slug, enlarged)), figures(score(slug, scene))
    # CLEval adds 0.00001 px to the sides of a box, and both character protocols nudge points.
    assert all(
        (a is None) == (b is None) and (a is None or math.isclose(a, b, abs_tol=1e-6))
        for a, b in zip(found, before, strict=True)
    )


# recall, precision and F-score; "nothing" is no truth, "ignored" only ignored truth.
HALF_EMPTY = {"nothing found": (0, 0, 0), "only wrong": (0, 0, 0)}
LIKE_IOU = {
    "nothing and nothing": (1, 1, 1),
    "nothing, no file": (1, 1, 1),
    "nothing, something found": (1, 0, 0),
    "ignored, nothing found": (1, 1, 1),
    "ignored, found there": (1, 1, 1),
    "ignored, found elsewhere": (1, 0, 0),
    **HALF_EMPTY,
}
PUBLISHED_AREAS = {
    "nothing and nothing": (1, 1, 0),
    "nothing, no file": (0, 0, 0),
    "nothing, something found": (1, 0, 0),
    "ignored, nothing found": (0, 0, 0),
    "ignored, found there": (1, 0, 0),
    "ignored, found elsewhere": (1, 0, 0),
    **HALF_EMPTY,
}
EMD = 2 * 0.01 / 1.01
ALWAYS_ZERO = dict.fromkeys(LIKE_IOU, (0, 0, 0))
COUNTED = {
    name: (0, 0, 0)
    if "nothing found" in name or "and nothing" in name or "no file" in name
    else None
    for name in LIKE_IOU
}
EMPTY = {
    "iou": LIKE_IOU,
    "average-precision": LIKE_IOU,
    "tiou": LIKE_IOU,
    "tedeval": LIKE_IOU,
    "popeval": LIKE_IOU,
    "deteval": PUBLISHED_AREAS,
    "icdar13": PUBLISHED_AREAS,
    "deteval-wolf": {
        **LIKE_IOU,
        "nothing, something found": (0, 0, 0),
        "ignored, found there": (0, 0, 0),
        "ignored, found elsewhere": (0, 0, 0),
    },
    "cleval": ALWAYS_ZERO,
    "cleval-end-to-end": ALWAYS_ZERO,
    "evaltex": LIKE_IOU,
    "evaltex-no-split": LIKE_IOU,
    "evaltex-emd": {
        **LIKE_IOU,
        "nothing, something found": (1, 0.01, EMD),
        "ignored, found elsewhere": (1, 0.01, EMD),
        "nothing found": (0.01, 1, EMD),
        "only wrong": (0.01, 0.01, 0.01),
    },
    "table-detection": {
        **LIKE_IOU,
        "nothing, something found": (0, 0, 0),
        "ignored, found elsewhere": (0, 0, 0),
    },
    # Words have no cells, so there are no relations to find.
    "table-structure": dict.fromkeys(LIKE_IOU, (1, 1, 1)),
    "slot-error": {
        **LIKE_IOU,
        "nothing, something found": (0, 0, 0),
        "ignored, found elsewhere": (0, 0, 0),
    },
    "count": COUNTED,
    "total-area": COUNTED,
    "mean-size": COUNTED,
}
EMPTY["evaltex-emd-no-split"] = EMPTY["evaltex-emd"]
SIDES = {
    "nothing and nothing": ((), ()),
    "nothing, no file": ((), None),
    "nothing, something found": ((), (FAR,)),
    "ignored, nothing found": ((IGNORED,), ()),
    "ignored, found there": ((IGNORED,), (ON_IGNORED,)),
    "ignored, found elsewhere": ((IGNORED,), (FAR,)),
    "nothing found": ((WORD,), ()),
    "only wrong": ((WORD,), (FAR,)),
}


@pytest.mark.parametrize("slug", [slug for slug in SLUGS if slug != "no-ground-truth"])
@pytest.mark.parametrize("case", SIDES)
def test_what_each_gives_where_a_side_is_empty(slug, case):
    expected = EMPTY[slug][case]
    found = score(slug, Scene(*SIDES[case]))
    if expected is None:
        assert found.recall > 0, "a sentinel sees detections, whatever the truth"
    else:
        assert figures(found) == pytest.approx(expected, abs=1e-12)


def test_a_method_without_votes_has_no_precision_unless_one_is_chosen():
    scene = Scene((WORD,), (), width=400, height=300)
    assert figures(score("no-ground-truth", scene)) == (0, 0, 0)
    undefined = score("no-ground-truth", scene, empty_precision="undefined")
    assert figures(undefined) == (0, None, None)


@pytest.mark.parametrize("slug", SLUGS)
def test_an_exact_detection_is_perfect(slug):
    words = tuple(replace(one, confidence=0.9) for one in (WORD, NEXT))
    found = score(slug, Scene((WORD, NEXT), words, width=400, height=300))
    if slug in ("count", "total-area", "mean-size"):
        assert 0 < found.f_score < 1
    elif slug == "no-ground-truth":
        # One method and two virtual ones: everything it marks has two of three votes.
        assert found.precision == pytest.approx(2 / 3)
    else:
        assert figures(found) == (1, 1, 1)


@pytest.mark.parametrize("slug", SLUGS)
@pytest.mark.parametrize(
    "odd",
    [
        Region((0, 0, 100, 100, 100, 0, 0, 100), text="bow tie"),
        Region.from_box(5, 5, 5, 5, text="point"),
        Region((0, 0, 10, 10, 20, 20), text="line"),
        Region.from_box(-(10**9), -(10**9), 10**9, 10**9, text="huge"),
        Region((0, 0, 1e9, 1, 2e9, 0, 1e9, -1), text="needle"),
        Region((0.5, 0.5, 99.5, 0.5, 99.5, 39.5, 0.5, 39.5), text="half pixels"),
        Region((0, 0, 50, 10, 100, 0, 100, 40, 50, 50, 0, 40), text="curved"),
        Region((0, 0, 50, 10, 100, 0, 100, 40, 0, 40), text="five points"),
        Region((0, 0, 100, 0, 50, 40), text="triangle"),
        Region((0, 0, 80, 0, 80, 40, 40, 5), text="dented"),
        Region.from_mask(3, 4, ["0110", "1111"], text="mask"),
        Region.from_box(0, 0, 1e-9, 1e-9, text="speck"),
        Region.from_box(0, 0, 100, 40, text=""),
        Region.from_box(0, 0, 100, 40),
    ],
    ids=lambda region: region.text or f"text {region.text!r}",
)
def test_odd_shapes_stop_nothing(slug, odd):
    for truth, found in (
        ([odd], [odd]),
        ([WORD], [odd]),
        ([odd, WORD], [WORD, odd, odd]),
        ([replace(odd, ignored=True), WORD], [odd, NEXT]),
    ):
        scored = score(slug, Scene(tuple(truth), tuple(found)))
        assert all(value is None or 0 <= value <= 1 for value in figures(scored))


@pytest.mark.parametrize("slug", SLUGS)
def test_twenty_copies_of_a_detection_are_no_better_than_one(slug):
    if slug in ("count", "total-area", "no-ground-truth", "table-structure"):
        pytest.skip("looks at no truth, counts copies once, or needs cells")
    one = score(slug, Scene((WORD, NEXT), (WORD,)))
    many = score(slug, Scene((WORD, NEXT), (WORD,) * 20))
    assert many.recall <= one.recall
    assert many.f_score <= one.f_score


@pytest.mark.parametrize("slug", SLUGS)
def test_no_scene_is_no_score(slug):
    protocol = registry.get(slug)
    assert protocol.score([]) == []
    overall = protocol.overall([])
    assert (overall.mean_recall, overall.n_images, overall.n_undefined) == (None, 0, 0)


@pytest.mark.parametrize("slug", SLUGS)
def test_the_mean_over_images_stands_beside_the_official_figures(slug):
    protocol = registry.get(slug)
    scores = protocol.score(
        [Scene((WORD, NEXT), (WORD,), width=400, height=300), Scene((WORD,), (), width=9, height=9)]
    )
    overall = protocol.overall(scores)
    assert overall.n_images == 2
    assert overall.mean_recall == pytest.approx((scores[0].recall + scores[1].recall) / 2)
    assert 0 <= overall.recall <= 1


@pytest.mark.parametrize("slug", SLUGS)
def test_methods_may_come_in_any_order(slug):
    protocol = registry.get(slug)
    one = [Scene((WORD,), (WORD,), width=400, height=300)]
    other = [Scene((WORD,), (NEXT,), width=400, height=300)]
    forth = protocol.score_methods({"a": one, "b": other})
    back = protocol.score_methods({"b": other, "a": one})
    for method in "ab":
        assert figures(forth[method][0]) == pytest.approx(figures(back[method][0]), abs=1e-12)


@pytest.mark.parametrize("slug", SLUGS)
def test_it_names_itself_its_source_and_what_it_measures(slug):
    protocol = registry.PROTOCOLS[slug]
    keys = (registry_root() / "REFERENCES.md").read_text()
    assert f"**[{protocol.reference}]**" in keys
    assert protocol.summary.endswith((".", "?"))
    assert protocol.__doc__
    assert len(protocol.__doc__) > 40


def registry_root():
    from pathlib import Path

    return Path(registry.__file__).parent


@pytest.mark.parametrize("slug", SLUGS)
def test_every_parameter_has_a_published_default_and_refuses_what_is_outside_its_range(slug):
    protocol = registry.PROTOCOLS[slug]
    for declared in fields(protocol):
        assert declared.default is not MISSING
        assert declared.metadata["says"]
        if "choices" in declared.metadata:
            wrong = ["elsewhere", 1, None, True]
            named = declared.metadata["choices"][0]
        elif isinstance(declared.default, bool):
            wrong, named = [0, 1, "true", None], "true or false"
        else:
            low, high = declared.metadata["low"], declared.metadata["high"]
            wrong = [low - 1, high + 1, float("nan"), float("inf"), "0.5", None, True]
            named = rf"\[{low:g}, {high:g}\]"
        for value in wrong:
            with pytest.raises(ParameterError, match=named):
                registry.get(slug, {declared.name: value})


@pytest.mark.parametrize("slug", CREDITED)
@given(scene=scenes)
def test_weights_change_nothing_where_all_regions_weigh_the_same(slug, scene):
    def alike(region):
        left, top, _, _ = region.box
        corners = Region.from_box(left, top, left + 30, top + 20).points
        return replace(region, points=corners, text="###" if region.ignored else "abc")

    scene = changed(scene, alike)
    published = score(slug, scene)
    for weight in ("area", "characters"):
        assert close(figures(score(slug, scene, weight=weight)), figures(published))


@pytest.mark.parametrize("slug", CREDITED)
def test_a_found_headline_outweighs_a_missed_footnote(slug):
    """One word of 100 x 40 found, one of 25 x 10 missed: 1/2 of the words, 16/17 of the area;
    7 of 9 characters."""
    headline = Region.from_box(0, 0, 99, 39, text="HEADING")
    footnote = Region.from_box(0, 100, 24, 109, text="re")
    scene = Scene((headline, footnote), (headline,))
    area = (99 * 39) / (99 * 39 + 24 * 9)
    for weight, expected in (("regions", 0.5), ("area", area), ("characters", 7 / 9)):
        found = score(slug, scene, weight=weight)
        # In histograms a missed word is worth one bin.
        expected += 0.01 * (1 - expected) if slug.startswith("evaltex-emd") else 0
        assert found.recall == pytest.approx(expected)
        assert found.precision == 1
        overall = registry.get(slug, {"weight": weight}).overall([found, found])
        assert overall.recall == pytest.approx(expected)


@pytest.mark.parametrize("slug", CREDITED)
def test_a_large_false_positive_can_weigh_more_than_a_small_one(slug):
    small, large = Region.from_box(500, 500, 510, 505), Region.from_box(500, 500, 900, 700)
    by_area = [
        score(slug, Scene((WORD,), (WORD, wrong)), weight="area").precision
        for wrong in (small, large)
    ]
    published = [score(slug, Scene((WORD,), (WORD, wrong))).precision for wrong in (small, large)]
    assert published[0] == published[1]
    assert by_area[0] > 0.9
    assert by_area[1] < 0.1


@pytest.mark.parametrize("slug", CREDITED)
@pytest.mark.parametrize(("choice", "expected"), [("zero", 0.0), ("one", 1.0), ("undefined", None)])
def test_the_precision_of_finding_nothing_can_be_chosen(slug, choice, expected):
    protocol = registry.get(slug, {"empty_precision": choice})
    found = protocol.score([Scene((WORD,), ()), Scene((WORD,), (FAR,)), Scene((), ())])
    assert found[0].precision == expected
    assert (found[0].f_score is None) == (expected is None)
    published = registry.get(slug).score([Scene((WORD,), (FAR,)), Scene((), ())])
    assert figures(found[1]) == figures(published[0]), "wrong detections are not nothing"
    assert figures(found[2]) == figures(published[1]), (
        "with nothing to find nothing is as published"
    )
    assert protocol.overall(found[:1]).precision == expected
    assert protocol.overall(found[:2]).n_undefined == (expected is None)
