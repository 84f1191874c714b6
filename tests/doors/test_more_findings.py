"""Findings of a load whose files parse: the shell, Python and the site say each of them alike.

Each sentence is worked out from six pictures of 400 x 200 px with two words each.
"""

import warnings

import pytest
from django.core.management import call_command

import text_rankings as tr
from protocols.command_line.main import main as protocols_main
from protocols.core.errors import DataWarning
from tests.support import commands
from tests.support.archives import picture_bytes, zip_file

pytestmark = pytest.mark.django_db

IMAGES = range(1, 7)
WORDS = {at: ((20 + 9 * at, 30, 90 + 9 * at, 60), (200 + at, 90, 300 + at, 130)) for at in IMAGES}
SAID = {
    "F4": "copy.zip: found 12 of 12 regions of the ground truth with the same coordinates",
    "F5": "lazy.zip: found no boxes on 3 of 6 images whose ground truth has text (50 %)",
    "F6": "twin.zip: found the same boxes as “copy” on every image; expected results of “twin”",
    "L6": "wide.zip > res_img_1.txt, line 1: found region 1 reaches 30 px outside img_1",
}


def lines(words, tail=""):
    return "".join(
        f"{left},{top},{right},{top},{right},{bottom},{left},{bottom}{tail}\n"
        for left, top, right, bottom in words
    )


@pytest.fixture
def load(tmp_path):
    """Ground truth, photographs, and result sets with one peculiarity each."""

    def near(words):
        return [(left + 1, top, right + 1, bottom) for left, top, right, bottom in words]

    methods = {
        "copy": WORDS,
        "lazy": {at: near(words) if at > 3 else [] for at, words in WORDS.items()},
        "twin": {at: words[::-1] for at, words in WORDS.items()},
        "wide": {**{at: near(words) for at, words in WORDS.items()}, 1: [(40, 60, 430, 90)]},
    }
    named = {f"gt_img_{at}.txt": lines(words, ",word") for at, words in WORDS.items()}
    pictures = {f"img_{at}.png": picture_bytes(width=400, height=200) for at in IMAGES}
    paths = [
        zip_file(tmp_path / f"{name}.zip", {f"res_img_{at}.txt": lines(of[at]) for at in IMAGES})
        for name, of in methods.items()
    ]
    return zip_file(tmp_path / "gt.zip", named), zip_file(tmp_path / "images.zip", pictures), paths


def shell(truth, images, paths):
    options = ("--images", images, "--out", truth.with_name("out.csv"))
    files = ("--truth", truth, "--results", *paths)
    done = commands.run_here(protocols_main, "score", "--protocol", "iou", *files, *options)
    assert done.returncode == 0
    return done.stderr


def python(truth, images, paths):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tr.score(str(truth), list(map(str, paths)), images=str(images))
    return "\n".join(str(one.message) for one in caught if one.category is DataWarning)


def site(truth, images, paths, capsys):
    files = map(str, (truth, images, *paths))
    call_command("import_files", *files, name="Street", yes=True)
    return "".join(capsys.readouterr())


def test_each_door_says_each_finding_once(load, capsys):
    doors = {"shell": shell(*load), "python": python(*load), "site": site(*load, capsys)}
    counts = {(door, code): said.count(SAID[code]) for door, said in doors.items() for code in SAID}
    assert counts == dict.fromkeys(counts, 1)


def test_an_image_without_results_is_not_one_without_boxes():
    """Arrays of four of twelve images: the others are not evaluated."""
    truth = {str(at): [[0, 0, 99, 39]] for at in range(12)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tr.score(truth, {str(at): [[0, 0, 99, 38]] for at in range(4)})
