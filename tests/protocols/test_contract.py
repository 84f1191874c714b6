"""Rules that hold for every protocol of the registry: its page, and its scores, whatever the scene.

``-k SLUG`` runs everything that a new protocol needs.
"""

import copy
import json
import math
import random
import re
from dataclasses import MISSING, fields, replace
from typing import get_args

import pytest
from hypothesis import strategies as st

from protocols import registry
from protocols.core.base import Family, Scene, f_score
from protocols.core.errors import ParameterError
from protocols.core.regions import Region
from protocols.formats.readers.scenes import read_scene
from tests.support.cases import cases
from tests.support.empty_sides import EMPTY, SIDES
from tests.support.examples import given_shared
from tests.support.new_protocol import PAGES, ROOT, WITHOUT_EMPTY_SIDES, lacks
from tests.support.scenes import CREDITED, NEXT, SLUGS, WORD, changed, close, figures, scenes, score

SECTIONS = [
    "What it measures",
    "How it is computed",
    "Worked example",
    "Known weaknesses",
    "Differences from the published program",
    "Source",
]
RESULT = re.compile(r"^\*\*R = ([\d.–]+), P = ([\d.–]+), F = ([\d.–]+)\*\*$", re.MULTILINE)
# Sizes in pixels decide for the sentinels; a last pixel that is included is not twice as large in
# an image twice as large.
NOT_SCALE_FREE = {"total-area", "mean-size", "icdar13", "deteval", "deteval-wolf"}
# The nearest region to the image's corner goes first.
NOT_TRANSLATION_FREE = {"popeval"}
# Points separate a text's top and bottom, along which characters are placed; the page says so.
LOOKS_AT_POINTS = {
    "tedeval": "Of a region with other than four points",
    "cleval": "`box_type` chooses one for a whole dataset",
    "cleval-end-to-end": "`box_type` chooses one for a whole dataset",
}


@pytest.mark.parametrize("slug", SLUGS)
def test_it_has_a_page_an_example_a_picture_a_source_and_known_empty_sides(slug):
    sentences = list(lacks(slug))
    if sentences:
        pytest.fail("\n".join(sentences), pytrace=False)


def page(slug):
    path = PAGES / f"{slug}.md"
    assert path.is_file(), f"docs/protocols/{slug}.md is missing: the page of {slug}"
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("slug", SLUGS)
def test_its_example_comes_out_as_its_page_says(slug):
    scene = read_scene(json.loads((PAGES / "examples" / f"{slug}.json").read_text()), slug)
    [scored] = registry.get(slug).score([scene])
    *_, last = RESULT.findall(page(slug))
    assert last == tuple("–" if value is None else f"{value:.4f}" for value in figures(scored))


@pytest.mark.parametrize("slug", SLUGS)
def test_its_page_has_every_section_its_picture_and_its_source(slug):
    text = page(slug)
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == SECTIONS
    assert text.startswith(f"# {registry.PROTOCOLS[slug].name}\n")
    [(words, picture)] = re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", text)
    assert picture == f"img/{slug}.svg"
    assert len(words) > 40, "for those who cannot see it"
    source = text.split("## Source")[1]
    references = (ROOT / "protocols/REFERENCES.md").read_text(encoding="utf-8")
    assert f"[{registry.PROTOCOLS[slug].reference}]" in source
    cited = re.findall(r"\[([A-Z]+\d\d)\](?!\()", text)
    assert [key for key in cited if f"**[{key}]**" not in references] == []


@pytest.mark.parametrize("slug", SLUGS)
@given_shared(scene=scenes)
def test_scores_are_shares_and_inputs_stay_as_they_were(slug, scene):
    before = copy.deepcopy(scene)
    scored = score(slug, scene)
    assert scene == before
    assert all(value is None or 0 <= value <= 1 for value in figures(scored))
    assert scored == score(slug, scene), "the same again"
    assert all(value is None or math.isfinite(value) for value in scored.indicators.values()), (
        scored.indicators
    )


@pytest.mark.parametrize("slug", SLUGS)
@given_shared(scene=scenes)
def test_the_f_score_is_the_harmonic_mean_of_recall_and_precision(slug, scene):
    """The one exception is published: an empty image of DETEVAL and ICDAR13 has R = P = 1, F = 0."""
    scored = score(slug, scene)
    if slug in ("deteval", "icdar13") and not scene.truth and scene.detections == ():
        assert figures(scored) == (1, 1, 0)
    else:
        assert close([scored.f_score], [f_score(scored.recall, scored.precision)])


@pytest.mark.parametrize("slug", SLUGS)
@given_shared(scene=scenes)
def test_other_images_do_not_matter(slug, scene):
    others = [Scene((WORD,), (WORD, NEXT), "first"), Scene((), (), "last")]
    among = registry.get(slug).score([others[0], scene, others[1]])[1]
    assert close(figures(among), figures(score(slug, scene)))
    assert len(among.matches) == len(score(slug, scene).matches)


@pytest.mark.parametrize("slug", SLUGS)
@given_shared(scene=scenes)
def test_every_region_has_a_match_or_a_reason(slug, scene):
    if not registry.PROTOCOLS[slug].has_matches:
        assert score(slug, scene).matches == ()
        return
    scored = score(slug, scene)
    for side, regions in (("truth", scene.truth), ("detections", scene.detections or ())):
        matched = {index for match in scored.matches for index in getattr(match, side)}
        left = [
            region.index for region in scored.unmatched if region.side == side.removesuffix("s")
        ]
        assert matched.isdisjoint(left), "matched and yet with a reason why not"
        assert sorted([*matched, *left]) == list(range(len(regions)))
    assert all(region.reason for region in scored.unmatched)
    for match in scored.matches:
        assert len(set(match.truth)) == len(match.truth)
        assert len(set(match.detections)) == len(match.detections)
        assert match.recall_credit >= 0
        assert match.precision_credit >= 0


@pytest.mark.parametrize("slug", CREDITED)
@given_shared(scene=scenes)
def test_the_credits_of_the_matches_add_up_to_the_tally(slug, scene):
    scored = score(slug, scene)
    recalled = sum(match.recall_credit for match in scored.matches)
    precise = sum(match.precision_credit for match in scored.matches)
    # A missed text and a false positive are worth one bin each in histograms.
    if slug.startswith("evaltex-emd"):
        recalled += 0.01 * scored.indicators["missed"]
        precise += 0.01 * scored.indicators["fp"]
    assert recalled == pytest.approx(scored.tally.recalled, abs=1e-9)
    assert precise == pytest.approx(scored.tally.precise, abs=1e-9)


@pytest.mark.parametrize("slug", SLUGS)
@given_shared(scene=scenes)
def test_the_official_figures_are_sums_of_tallies_divided(slug, scene):
    """So studies may add up the images that they have, and exchange images between methods."""
    protocol = registry.get(slug)
    scored = protocol.score([scene, Scene((WORD,), (WORD, NEXT), "other")])
    overall = protocol.overall(scored)
    for figure, credit, divisor in (
        (overall.recall, "recalled", "n_truth"),
        (overall.precision, "precise", "n_detections"),
    ):
        above, below = (
            math.fsum(getattr(one.tally, name) for one in scored) for name in (credit, divisor)
        )
        assert not below or figure == pytest.approx(min(max(above / below, 0), 1))


def every_variant(slug):
    return [slug, *(f"{slug}:{variant}" for variant in registry.PROTOCOLS[slug].variants)]


@pytest.mark.parametrize("slug", SLUGS)
@given_shared(scene=scenes)
def test_the_size_of_an_image_is_irrelevant_unless_it_is_said(slug, scene):
    sizes = ((None, None), (20.0, 20.0), (4000.0, 3000.0))
    sized = [replace(scene, width=width, height=height) for width, height in sizes]
    for full in every_variant(slug):
        if not registry.get(full).reads_sizes:
            first, *others = [score(full, one) for one in sized]
            assert [repr(one) for one in others] == [repr(first)] * 2


def test_some_protocols_say_that_the_size_of_an_image_changes_a_score():
    """A line that leaves an image of 20 x 20, and a word that is all of it."""
    word = Region.from_box(0, 0, 10, 10, parent="line")
    scene = Scene((word,), (replace(word, points=(0, 0, 40, 0, 40, 10, 0, 10)),))
    small = replace(scene, width=20.0, height=20.0)
    said = {
        full for slug in SLUGS for full in every_variant(slug) if registry.get(full).reads_sizes
    }
    assert said == {"panoptic-quality:lines", "panoptic-quality:paragraphs", "no-ground-truth"}
    for full in said:
        assert figures(score(full, scene)) != figures(score(full, small)), full


@pytest.mark.parametrize("slug", SLUGS)
@given_shared(scene=scenes, seed=st.integers())
def test_the_order_of_regions_is_irrelevant_unless_it_is_said(slug, scene, seed):
    protocol = registry.PROTOCOLS[slug]
    if protocol.depends_on_order:
        text = f"{protocol.__doc__} {protocol.__mro__[1].__doc__}"
        assert "order" in text, f"{slug} depends on order; its docstring has to say so"
        return

    order = random.Random(seed)

    def shuffled(regions):
        return regions and tuple(order.sample(regions, len(regions)))

    other = replace(scene, truth=shuffled(scene.truth), detections=shuffled(scene.detections))
    assert close(figures(score(slug, other)), figures(score(slug, scene)))


@pytest.mark.parametrize("slug", [slug for slug in SLUGS if slug not in NOT_TRANSLATION_FREE])
@given_shared(scene=scenes, right=st.integers(-500, 500), down=st.integers(-500, 500))
def test_moving_everything_changes_nothing(slug, scene, right, down):
    # Without a size, so that no image edge stays in place.
    scene = replace(scene, width=None, height=None)

    def move(region):
        step = (right, down)
        return replace(
            region, points=tuple(value + step[at % 2] for at, value in enumerate(region.points))
        )

    assert close(figures(score(slug, changed(scene, move))), figures(score(slug, scene)))


@pytest.mark.parametrize("slug", [slug for slug in SLUGS if slug not in NOT_SCALE_FREE])
@given_shared(scene=scenes, factor=st.sampled_from([2, 3, 8]))
def test_enlarging_everything_changes_nothing(slug, scene, factor):
    def enlarge(region):
        return replace(region, points=tuple(value * factor for value in region.points))

    enlarged = replace(
        changed(scene, enlarge), width=scene.width * factor, height=scene.height * factor
    )
    after, before = figures(score(slug, enlarged)), figures(score(slug, scene))
    # CLEval adds 0.00001 px to the sides of a box, and both character protocols nudge points.
    assert all(
        (a is None) == (b is None) and (a is None or math.isclose(a, b, abs_tol=1e-6))
        for a, b in zip(after, before, strict=True)
    )


@pytest.mark.parametrize("slug", [slug for slug in SLUGS if slug not in LOOKS_AT_POINTS])
@given_shared(scene=scenes)
def test_further_points_on_the_sides_of_a_region_change_nothing(slug, scene):
    """No protocol has another rule for a polygon than for a box of the same outline."""

    def with_middles(region):
        corners = list(zip(region.points[::2], region.points[1::2], strict=True))
        points = [
            value
            for (x, y), (to_x, to_y) in zip(corners, corners[1:] + corners[:1], strict=True)
            for value in (x, y, (x + to_x) / 2, (y + to_y) / 2)
        ]
        return replace(region, points=tuple(points))

    # Of even coordinates the middles are whole.
    even = changed(
        scene, lambda region: replace(region, points=tuple(2 * value for value in region.points))
    )
    assert close(figures(score(slug, changed(even, with_middles))), figures(score(slug, even)))


@pytest.mark.parametrize("slug", LOOKS_AT_POINTS)
def test_a_protocol_with_a_rule_of_its_own_for_polygons_says_so(slug):
    page = (PAGES / f"{slug}.md").read_text(encoding="utf-8")
    assert LOOKS_AT_POINTS[slug] in " ".join(page.split())


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
    exact = [Scene((WORD,), (WORD,), width=400, height=300)]
    other = [Scene((WORD,), (NEXT,), width=400, height=300)]
    forth = protocol.score_methods({"a": exact, "b": other})
    back = protocol.score_methods({"b": other, "a": exact})
    for method in "ab":
        assert figures(forth[method][0]) == pytest.approx(figures(back[method][0]), abs=1e-12)


@pytest.mark.parametrize("slug", SLUGS)
def test_it_names_itself_and_what_it_measures(slug):
    protocol = registry.PROTOCOLS[slug]
    assert protocol.summary.endswith((".", "?")), f"the summary of {slug} is no sentence"
    assert len(protocol.__doc__ or "") > 40, f"the class of {slug} needs a docstring of its own"


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


@pytest.mark.parametrize("slug", [slug for slug in SLUGS if slug not in WITHOUT_EMPTY_SIDES])
@cases("case", SIDES)
def test_what_each_gives_where_a_side_is_empty(slug, case):
    if case not in EMPTY.get(slug, {}):
        pytest.fail(f"EMPTY in tests/support/empty_sides.py does not say it for {slug}")
    expected = EMPTY[slug][case]
    scored = score(slug, Scene(*SIDES[case]))
    if expected is None:
        assert scored.recall > 0, "a sentinel sees detections, whatever the truth"
    else:
        assert figures(scored) == pytest.approx(expected, abs=1e-12)


def test_a_method_without_votes_has_no_precision_unless_one_is_chosen():
    scene = Scene((WORD,), (), width=400, height=300)
    assert figures(score("no-ground-truth", scene)) == (0, 0, 0)
    undefined = score("no-ground-truth", scene, empty_precision="undefined")
    assert figures(undefined) == (0, None, None)


@pytest.mark.parametrize("slug", SLUGS)
def test_an_exact_detection_is_perfect(slug):
    words = tuple(replace(word, confidence=0.9) for word in (WORD, NEXT))
    scored = score(slug, Scene((WORD, NEXT), words, width=400, height=300))
    if registry.is_sentinel(slug):
        assert 0 < scored.f_score < 1
    elif slug == "no-ground-truth":
        # One method and two virtual ones: everything it marks has two of three votes.
        assert scored.precision == pytest.approx(2 / 3)
    else:
        # HierText's program adds 0.00001 to the areas that it divides by.
        least = 1e-8 if slug == "panoptic-quality" else 0
        assert figures(scored) == pytest.approx((1, 1, 1), abs=least, rel=0)


@pytest.mark.parametrize("slug", SLUGS)
@cases(
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
)
def test_odd_shapes_stop_nothing(slug, odd):
    for truth, detections in (
        ([odd], [odd]),
        ([WORD], [odd]),
        ([odd, WORD], [WORD, odd, odd]),
        ([replace(odd, ignored=True), WORD], [odd, NEXT]),
    ):
        scored = score(slug, Scene(tuple(truth), tuple(detections)))
        assert all(value is None or 0 <= value <= 1 for value in figures(scored))


@pytest.mark.parametrize("slug", SLUGS)
def test_twenty_copies_of_a_detection_are_no_better_than_one(slug):
    if slug in ("count", "total-area", "no-ground-truth", "table-structure"):
        pytest.skip("looks at no truth, counts copies once, or needs cells")
    single = score(slug, Scene((WORD, NEXT), (WORD,)))
    many = score(slug, Scene((WORD, NEXT), (WORD,) * 20))
    assert many.recall <= single.recall
    assert many.f_score <= single.f_score


VARIANTS = [
    f"{slug}:{name}" for slug, protocol in registry.PROTOCOLS.items() for name in protocol.variants
]


@pytest.mark.parametrize("slug", VARIANTS)
@given_shared(scene=scenes)
def test_a_variant_is_a_protocol_of_its_own(slug, scene):
    protocol = registry.get(slug)
    assert protocol.full_slug == slug
    assert protocol != type(protocol)(), "it differs from what is published first"
    [scored] = protocol.score([scene])
    overall = protocol.overall([scored])
    shown = (*figures(scored), overall.recall, overall.precision, overall.f_score)
    assert all(value is None or 0 <= value <= 1 for value in shown)
    for side, regions in (("truth", scene.truth), ("detections", scene.detections or ())):
        matched = {index for match in scored.matches for index in getattr(match, side)}
        left = {one.index for one in scored.unmatched if one.side == side.removesuffix("s")}
        assert matched.isdisjoint(left)
        assert matched | left == set(range(len(regions)))


def test_every_protocol_is_of_one_family():
    families = registry.families()
    assert list(families) == list(get_args(Family))
    assert all(families.values()), "no family is empty"
    slugs = [protocol.slug for protocols in families.values() for protocol in protocols]
    assert slugs == list(registry.PROTOCOLS), "families stand together in the registry"
