"""How results fit the ground truth: the shell, Python and COCO's interface say it as the site does."""

import warnings

import pytest

import text_rankings as tr
from protocols import coco
from protocols.command_line.main import main as protocols_main
from protocols.core.errors import DataWarning
from protocols.diagnostics.stops import Misread
from tests.support import commands
from tests.support.archives import zip_file

# Five words, one an image, as left, top, right, bottom.
WORDS = {number: (100 + 7 * number, 30, 200 + 7 * number, 70) for number in range(1, 6)}
EXCHANGED = "with x and y exchanged: recall 1.00, precision 1.00"
CROSSING = "5 of 5 regions that cross themselves"
CORNERS = "with the last two corners exchanged: recall 1.00, precision 1.00"


def boxes(left, top, right, bottom):
    return f"{left},{top},{right},{bottom}"


def turned(left, top, right, bottom):
    return boxes(top, left, bottom, right)


def corners(left, top, right, bottom):
    return f"{left},{top},{right},{top},{right},{bottom},{left},{bottom}"


def in_rows(left, top, right, bottom):
    """Top left, top right, bottom left, bottom right: the outline crosses itself."""
    return f"{left},{top},{right},{top},{left},{bottom},{right},{bottom}"


def files(folder, write_truth, write_results):
    truth = {f"gt_img_{at}.txt": f"{write_truth(*word)},word\r\n" for at, word in WORDS.items()}
    results = {f"res_img_{at}.txt": f"{write_results(*word)}\r\n" for at, word in WORDS.items()}
    return zip_file(folder / "gt.zip", truth), zip_file(folder / "east.zip", results)


CASES = pytest.mark.parametrize(
    ("write_truth", "write_results", "said"),
    [
        (boxes, turned, [EXCHANGED, "results{}reading{}exchanged"]),
        (corners, in_rows, [CROSSING, CORNERS, "results{}reading{}rows"]),
    ],
)


@CASES
@pytest.mark.parametrize("command", [("score", "--out"), ("errors", "--out"), ("graphs",)])
def test_the_shell_stops_and_says_which_reading_would_fit(
    command, write_truth, write_results, said, tmp_path
):
    truth, results = files(tmp_path, write_truth, write_results)
    out = [tmp_path / "out.csv"] * (len(command) - 1)
    given = ("--truth", truth, "--results", results, *command[1:], *out)
    protocol = "deteval" if command == ("graphs",) else "iou"
    done = commands.run_here(protocols_main, command[0], "--protocol", protocol, *given)
    assert (done.returncode, done.stdout) == (2, "")
    assert all(words.format("-", " ") in done.stderr for words in said)
    answer = ("--results-reading", said[-1].rpartition("}")[2])
    done = commands.run_here(protocols_main, command[0], "--protocol", protocol, *given, *answer)
    assert done.returncode == 0


def test_cocos_data_are_looked_at_too():
    images = [{"id": at, "file_name": f"{at}.jpg"} for at in WORDS]
    annotations = [
        {"id": at, "image_id": at, "bbox": [left, top, right - left, bottom - top]}
        for at, (left, top, right, bottom) in WORDS.items()
    ]
    found = [
        {"image_id": at, "bbox": [top, left, bottom - top, right - left], "score": 0.5}
        for at, (left, top, right, bottom) in WORDS.items()
    ]
    document = {"images": images, "annotations": annotations}
    with pytest.raises(Misread, match=f"^results: .*{EXCHANGED}"):
        coco.evaluate(document, found)
    with pytest.raises(Misread, match=f"^east: .*{EXCHANGED}"):
        tr.score(document, {"east": found})


def test_results_that_fit_are_not_warned_of(tmp_path):
    truth, results = map(str, files(tmp_path, corners, corners))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert tr.score(truth, results).overall.f_score == 1


def test_shapes_without_area_are_counted_by_the_shell_and_python(tmp_path):
    """A point and a line of four corners on a diagonal; a word that both sides have."""
    lines = ["10,10,10,10,10,10,10,10", "10,10,20,20,30,30,40,40", "10,10,90,10,90,50,10,50"]
    truth = zip_file(tmp_path / "gt.zip", {"gt_1.txt": "".join(f"{of},a\n" for of in lines)})
    results = zip_file(tmp_path / "east.zip", {"res_1.txt": "".join(f"{of}\n" for of in lines)})
    for format in ((), ("--format", "quad")):
        done = commands.run_here(
            protocols_main,
            *("score", "--protocol", "iou", *format, "--out", tmp_path / "out.csv"),
            *("--truth", truth, "--results", results),
        )
        assert done.returncode == 0
        for name in ("gt.zip", "east.zip"):
            assert f"{name}: Zero or negative size, 2 times in 1 file" in done.stderr
        assert "for example gt.zip > gt_1.txt, line 1: found a shape without area" in done.stderr
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert tr.score(str(truth), str(results)).overall.recall == pytest.approx(1 / 3)
    told = "\n".join(str(one.message) for one in caught if one.category is DataWarning)
    assert "gt.zip: Zero or negative size, 2 times in 1 file" in told
    assert "for example east.zip > res_1.txt, line 1: found a shape without area" in told
