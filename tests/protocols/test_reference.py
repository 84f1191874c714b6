"""Equal to the official tools, image by image."""

from collections import Counter
from pathlib import Path

import pytest

from protocols import registry
from protocols.core.base import Scene
from protocols.core.regions import Region
from protocols.formats.recognition.reading import read
from tests.support.conformance import (
    BOUND,
    EDGE_SLUGS,
    FILES,
    UNDEFINED_OVERALL,
    compare,
    compare_edge_cases,
    edge_cases,
    edge_scene,
    read_reference,
)
from tests.support.shared import shared_path


@pytest.mark.parametrize(
    "name",
    [
        # The smaller data set; the release lane has all.
        name if name.startswith("icdar2013") else pytest.param(name, marks=pytest.mark.release)
        for name in FILES
    ],
)
def test_every_image_of_every_result_set_scores_as_the_official_tool_does(name):
    for comparison in compare(name):
        assert not comparison.beyond, f"{comparison.method}: {comparison.beyond}"
        if (name, comparison.method) not in UNDEFINED_OVERALL:
            assert comparison.overall_deviation <= BOUND, comparison.method


@pytest.mark.release
def test_polygons_that_a_load_turns_round_score_as_the_official_tool_has_them():
    """All lines of this set run counter-clockwise; CLEval goes by which points are opposite."""
    folder = shared_path("data", "ctw1500")
    truth, results = (
        read(folder / name, kind=kind).regions
        for name, kind in (("gt.zip", "truth"), ("ctd.zip", "results"))
    )
    expected = read_reference("ctw1500.cleval-poly")["methods"]["ctd"]["images"]
    scenes = [Scene(tuple(truth[name]), tuple(results[name]), name) for name in expected]
    for scene, score in zip(scenes, registry.get("cleval").score(scenes), strict=True):
        official = expected[scene.name]
        assert score.recall == pytest.approx(official[0], abs=BOUND), scene.name
        assert score.precision == pytest.approx(official[1], abs=BOUND), scene.name


def test_average_precision_over_all_images_differs_only_by_the_order_of_equal_confidences():
    """The tool's order is undefined; the deviation stays in the fifth decimal."""
    for name, method in UNDEFINED_OVERALL:
        [comparison] = [comparison for comparison in compare(name) if comparison.method == method]
        assert comparison.overall_deviation < 5e-5


@pytest.mark.parametrize("protocol", EDGE_SLUGS)
def test_every_edge_case_scores_as_the_official_tool_does(protocol):
    deviations = compare_edge_cases(protocol)
    assert len(deviations) >= 20
    assert not {name: deviation for name, deviation in deviations.items() if deviation > BOUND}


def test_where_the_tool_stops_a_word_without_text_has_one_character():
    [score] = registry.get("tedeval").score([edge_scene(edge_cases()["empty-transcription"])])
    assert (score.recall, score.precision) == (1.0, 1.0)


def test_average_precision_is_the_published_one():
    reference = read_reference("ap-cases")
    protocol = registry.get("average-precision")
    for name, case in reference["cases"].items():
        scenes = [
            Scene(
                tuple(
                    Region.from_box(*row[:4], text=row[4], ignored=row[4] == "###") for row in truth
                ),
                tuple(
                    Region.from_box(*row[:4], confidence=row[4])
                    for row in case["detections"].get(image, [])
                ),
                image,
            )
            for image, truth in reference["ground_truth"].items()
        ]
        scores = protocol.score(scenes)
        for scene, score in zip(scenes, scores, strict=True):
            ours = [score.recall, score.precision, score.f_score]
            ours.append(score.indicators["average_precision"])
            assert ours == pytest.approx(case["images_rphap"][scene.name], abs=BOUND), name
        overall, figures = protocol.overall(scores), case["overall"]
        assert overall.indicators["average_precision"] == pytest.approx(figures["AP"], abs=BOUND)
        assert overall.recall == pytest.approx(figures["recall"], abs=BOUND)
        assert overall.precision == pytest.approx(figures["precision"], abs=BOUND)


def test_the_documentation_lists_every_comparison():
    """A row has all data of a protocol and a tool; edge cases are added to its images."""
    page = (Path(__file__).parents[2] / "docs" / "protocols" / "conformance.md").read_text()
    rows = [
        [cell.strip() for cell in line.split("|")]
        for line in page.splitlines()
        if line.startswith("| [")
    ]
    n_images: Counter[int] = Counter()
    for name, (slug, _, _) in FILES.items():
        reference = read_reference(name)
        [at] = [
            at
            for at, (_, protocol, _, data, *_) in enumerate(rows)
            if protocol.endswith(f"({slug}.md)") and reference["dataset"] in data.split(", ")
        ]
        n_images[at] += sum(len(method["images"]) for method in reference["methods"].values())
    for at, n in n_images.items():
        listed = int(rows[at][5])
        assert listed > n if "cases" in rows[at][3] else listed == n, rows[at]
