"""EVALTEX and its variants: the shared cases, the paper's figure 5, and unions by hand."""

import json

import pytest

from protocols import registry
from protocols.core.base import Scene
from protocols.core.regions import Region
from protocols.formats.readers.scenes import read_scene
from tests.support.cases import cases
from tests.support.shared import shared_path

VARIANTS = {
    "evaltex": "evaltex",
    "evaltex_no_split": "evaltex-no-split",
    "evaltex_emd": "evaltex-emd",
    "evaltex_emd_no_split": "evaltex-emd-no-split",
}
KINDS = {"one-to-one": "one-to-one", "many-to-one": "merge", "one-to-many": "split"}


def reference():
    return json.loads(shared_path("reference", "evaltex_cases.json").read_text())


def score(scene, slug="evaltex", **parameters):
    [scored] = registry.get(slug, parameters).score([scene])
    return scored


def test_every_shared_case_has_the_published_scores_counts_and_indicators():
    cases = reference()["cases"]
    assert len(cases) == 67
    for case in cases:
        scene, parameters = read_scene(case, case["name"]), case.get("params", {})
        expected = case["expected"]
        for variant, slug in VARIANTS.items():
            scored = score(scene, slug, **parameters)
            values = expected["variants"][variant]
            assert scored.recall == pytest.approx(values["r"], abs=1e-6), (case["name"], slug)
            assert scored.precision == pytest.approx(values["p"], abs=1e-6), (case["name"], slug)
            assert scored.f_score == pytest.approx(values["f"], abs=1e-6), (case["name"], slug)
        indicators = score(scene, **parameters).indicators
        for name, value in {**expected["counts"], **expected["indicators"]}.items():
            assert indicators[name] == pytest.approx(value, abs=1e-6), (case["name"], name)


def test_every_object_of_the_shared_cases_has_its_kind_and_its_credits():
    for case in reference()["cases"]:
        scene = read_scene(case, case["name"])
        scored = score(scene, **case.get("params", {}))
        names = [region.id for region in scene.truth]
        matches = {names[match.truth[0]]: match for match in scored.matches}
        for expected in case["expected"].get("objects", []):
            if expected["type"] == "missed":
                assert expected["id"] not in matches
                continue
            match = matches[expected["id"]]
            assert match.kind == KINDS.get(expected["type"], expected["type"]), (
                case["name"],
                expected["id"],
            )
            assert match.recall_credit == pytest.approx(expected["coverage"], abs=1e-6)
            assert match.precision_credit == pytest.approx(expected["accuracy"], abs=1e-6)
            assert [scene.detections[j].id for j in match.detections] == expected["matched"]


def test_data_sets_pool_their_images():
    given = reference()
    cases = {case["name"]: case for case in given["cases"]}
    for data in given["datasets"]:
        scenes = [read_scene(cases[name], name) for name in data["images"]]
        for variant, slug in VARIANTS.items():
            protocol = registry.get(slug)
            overall = protocol.overall(protocol.score(scenes))
            expected = data["expected"]["variants"][variant]
            assert overall.recall == pytest.approx(expected["r"], abs=1e-6)
            assert overall.precision == pytest.approx(expected["p"], abs=1e-6)
            assert overall.f_score == pytest.approx(expected["f"], abs=1e-6)
            values = {**data["expected"]["counts"], **data["expected"]["indicators"]}
            for name, value in values.items():
                assert overall.indicators[name] == pytest.approx(value, abs=1e-6), name


def test_figure_5_of_the_paper_is_reached_to_the_printed_digits():
    for case in reference()["cases"]:
        for variant, printed in case.get("paper", {}).items():
            scored = score(read_scene(case, case["name"]), VARIANTS[variant])
            shown = [scored.recall, scored.precision, scored.f_score]
            assert [round(100 * value, 2) for value in shown] == printed, case["name"]


def test_histograms_count_objects_by_bin():
    word, half = Region.from_box(0, 0, 100, 10), Region.from_box(0, 0, 29, 10)
    scored = score(Scene((word, Region.from_box(0, 50, 9, 60)), (half,)), "evaltex-emd")
    coverage = scored.histograms["coverage"]
    assert len(coverage) == 100
    # 0.29 falls in the bin of 0.29, the missed word in the first.
    assert (coverage[0], coverage[29], sum(coverage)) == (1, 1, 2)
    assert scored.histograms["accuracy"][99] == 1
    assert scored.recall == pytest.approx((0.30 + 0.01) / 2)


def test_variants_share_one_measurement():
    protocols = [registry.get(slug) for slug in VARIANTS.values()]
    scenes = [Scene((Region.from_box(0, 0, 9, 9),), (Region.from_box(0, 0, 9, 5),))]
    together = registry.score_together(protocols, scenes)
    assert together == [protocol.score(scenes) for protocol in protocols]


@cases("step", [(0, 0), (-7, -400), (431, 3)])
def test_a_detection_half_ignored_counts_wherever_the_image_lies(step):
    """The four regions together cover 23.5 of the parallelogram's 47: half of it, not more than half."""
    ignored = [
        (9, 4, 12, 2, 16, 10, 13, 12),
        (0, 8, 2, 0, 10, 2, 8, 10),
        (9, 3, 12, 2, 14, 6, 11, 7),
        (2, 3, 12, 3, 12, 13, 2, 13),
    ]

    def moved(points):
        return tuple(float(value + step[at % 2]) for at, value in enumerate(points))

    truth = tuple(Region(moved(points), ignored=True) for points in ignored)
    detection = Region(moved((7, 9, 14, 4, 22, 5, 15, 10)))
    scored = score(Scene(truth, (detection,), "image", None, None))
    assert (scored.indicators["fp"], scored.indicators["ignored"]) == (1, 0)
