"""The demo's archive is what the generator makes, and this version of the site reads it."""

import io
import json
import zipfile

import numpy as np
import pytest
from hypothesis import settings as hypothesis_settings
from PIL import Image

from annotate.demo.services import ARCHIVE
from annotate.exchange.bundles import CHECKSUMS, VERSION
from annotate.exchange.bundles.writing import SOFTWARE
from protocols.core.regions import decode_regions
from tests.support.drawn import drawn
from tools.artwork.demo.archive import write_archive
from tools.artwork.demo.detectors import DETECTORS, detections
from tools.artwork.demo.scenes import jpeg_bytes

# Processors round drawings otherwise, by less than the eye sees; a word moved by a pixel changes more.
MOST_LEVELS = 40
REMAKE = "run `make artwork` and commit annotate/demo/demo.zip"
THOROUGH = hypothesis_settings.get_current_profile_name() == "thorough"


class Bundle:
    """The content of a bundle, in a form in which two can be compared."""

    def __init__(self, file):
        with zipfile.ZipFile(file) as archive:
            self.entries = {name: archive.read(name) for name in archive.namelist()}

    def parts(self):
        """The names of its entries; photographs, which are named by their content, are counted."""
        names = [name for name in self.entries if not name.startswith("photographs/")]
        return sorted(names), len(self.entries) - len(names)

    def photographs(self):
        """The photographs by the name of their image."""
        lines = [
            line
            for name in self.entries
            if name.startswith("images-")
            for line in self.entries[name].splitlines()
        ]
        rows = map(json.loads, lines)
        return {row["name"]: self.entries[f"photographs/{row['sha256']}"] for row in rows}

    def one(self, name):
        return comparable(json.loads(self.entries[f"{name}.json"]))

    def rows(self, name):
        parts = sorted(part for part in self.entries if part.startswith(f"{name}-"))
        lines = [line for part in parts for line in self.entries[part].splitlines()]
        return [comparable(json.loads(line)) for line in lines]


def comparable(value):
    """Round numbers to nine digits, for processors differ in the last ones."""
    if isinstance(value, dict):
        left_out = {"sha256"} if "content_type" in value else set()
        return {key: comparable(member) for key, member in value.items() if key not in left_out}
    if isinstance(value, list):
        return [comparable(member) for member in value]
    return float(f"{value:.9g}") if isinstance(value, float) else value


def levels_apart(first, second):
    """The largest difference of two pictures' pixels, in levels of 255."""
    one, other = (
        np.asarray(Image.open(io.BytesIO(content))).astype(int) for content in (first, second)
    )
    assert one.shape == other.shape
    return np.abs(one - other).max()


def answers(bundle, images):
    """Each finished ranking of these images with its answers, without when they were given."""
    return {
        (row["image"], row["annotator"]): (
            row["items"],
            row["rankings"],
            [without_times(screen) for screen in row["screens"]],
            [without_times(event) for event in row["events"]],
        )
        for row in bundle.rows("assignments")
        if row["image"] in images and row["state"] == "complete"
    }


def without_times(row):
    return {name: value for name, value in row.items() if name != "created"}


@pytest.fixture(scope="module")
def shipped():
    return Bundle(ARCHIVE)


def test_the_archive_is_of_the_present_version(shipped):
    """An older one would load with a note, and its report would not be compared."""
    manifest = shipped.one("manifest")
    assert (manifest["version"], manifest["software"]) == (VERSION, SOFTWARE), REMAKE


def test_photographs_ground_truth_and_results_are_those_drawn(shipped):
    images, truths = shipped.rows("images"), shipped.rows("truth")
    photographs = shipped.photographs()
    results = {(row["image"], row["method"]): row["regions"] for row in shipped.rows("results")}
    assert len(results) == 24 * 10
    for scene, image, truth in zip(drawn(), images, truths, strict=True):
        assert (image["name"], image["width"], image["height"]) == (scene.name, *scene.image.size)
        stored = photographs[image["name"]]
        assert levels_apart(jpeg_bytes(scene.image), stored) <= MOST_LEVELS, REMAKE
        assert truth["image"] == scene.name
        assert decode_regions(truth["truth"]) == scene.words, REMAKE
        for detector in DETECTORS:
            loaded = decode_regions(results[scene.name, detector.name])
            assert loaded == detections(detector, scene), REMAKE


@pytest.mark.django_db(reset_sequences=True)
def test_scores_and_answers_are_those_made_anew(shipped):
    """Six scenes are scored and ranked again; the thorough profile does it with all of them."""
    scenes = drawn(24 if THOROUGH else 6)
    stream = io.BytesIO()
    write_archive(scenes, stream)
    made = Bundle(stream)
    images = {scene.name for scene in scenes}
    of_images = [row for row in shipped.rows("scores") if row["image"] in images]
    assert len(of_images) == 13 * 10 * len(scenes)
    assert made.rows("scores") == of_images, REMAKE
    made_anew = answers(made, images)
    # The second annotator leaves two images, the third four.
    assert len(made_anew) == 3 * len(scenes) - 2 - 4
    asked_before = answers(shipped, images)
    # With fewer scenes the two have other ones left at the end.
    for key in made_anew.keys() & asked_before.keys():
        assert made_anew[key] == asked_before[key], REMAKE
    assert len(made_anew.keys() & asked_before.keys()) >= len(scenes) + 2
    for name in ("dataset", "study", "report") if THOROUGH else ("dataset",):
        assert made.one(name) == shipped.one(name), REMAKE
    if THOROUGH:
        assert made.parts() == shipped.parts()
        assert made.rows("assignments") == shipped.rows("assignments"), REMAKE
        assert made.rows("runs") == shipped.rows("runs"), REMAKE


def test_tying_all_is_not_the_nearest_in_every_table(shipped):
    """The edit distance favours ties; somewhere the first report a visitor sees has a protocol above them."""
    nearest = [
        min(table["rows"] + table["baselines"], key=lambda row: row["score"])["protocol"]
        for table in shipped.one("report")["criteria"].values()
    ]
    assert "all tied" in nearest, "and says where it favours them"
    assert nearest != ["all tied"] * 3


def test_everything_in_the_archive_has_a_checksum(shipped):
    sums = shipped.entries[CHECKSUMS].decode().splitlines()
    assert {line.split("  ")[1] for line in sums} == shipped.entries.keys() - {CHECKSUMS}
