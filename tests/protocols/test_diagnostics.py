"""How results that parse fit the ground truth, and which usual mistake explains that they do not."""

import math
import random

import pytest

from protocols.core.regions import Region
from protocols.diagnostics import readings
from protocols.diagnostics.empty_results import warn_of_empty_results
from protocols.diagnostics.fits import fit, sample, thinned
from protocols.diagnostics.trials import offered
from protocols.formats.problems import Problems
from tests.support.cases import cases

BOX = Region.from_box
WORD = BOX(0, 0, 9, 4)


def words(n_images=12, n_words=4, seed=3):
    """Words of made-up images, as left, top, right, bottom: no two images alike."""
    rng = random.Random(seed)
    return {
        f"img_{at}": [
            (x, y, x + rng.randint(60, 90), y + rng.randint(20, 30))
            for x, y in ((rng.randint(0, 900), rng.randint(0, 500)) for _ in range(n_words))
        ]
        for at in range(1, n_images + 1)
    }


WORDS = words()
TRUTH = {image: [BOX(*map(float, of)) for of in boxes] for image, boxes in WORDS.items()}
SIZES = dict.fromkeys(TRUTH, (1000, 600))


def boxes_as(write):
    """Results as a file says them: each word written by ``write``, read as left, top, right, bottom."""
    return {
        image: [BOX(*map(float, write(*box))) for box in boxes] for image, boxes in WORDS.items()
    }


def quads_as(write):
    return {
        image: [Region(tuple(map(float, write(*box)))) for box in boxes]
        for image, boxes in WORDS.items()
    }


def moved(by):
    return {f"img_{at + by}": TRUTH[f"img_{at}"] for at in range(1, 13)}


def offer(results, sizes=SIZES):
    as_read = fit(TRUTH, results, sizes)
    return offered(TRUTH, results, sizes, TRUTH, as_read)


def test_a_fit_counts_by_hand():
    truth = {
        "a": [BOX(0, 0, 10, 10), BOX(20, 0, 30, 10), BOX(50, 0, 60, 10, text="###", ignored=True)],
        "b": [BOX(0, 0, 10, 10)],
    }
    results = {
        # The first truth exactly; a touch of the second (IoU 10/190); one inside what is ignored.
        "a": [BOX(0, 0, 10, 10), BOX(29, 0, 39, 10), BOX(50, 0, 60, 10)],
        # Outside by 5 px, and inside but for a corner on the border.
        "b": [BOX(95, 0, 105, 10), BOX(90, 0, 100.5, 10)],
    }
    found = fit(truth, results, {"a": (100, 100), "b": (100, 100)})
    assert (found.n_matches, found.n_truth, found.n_detections) == (1, 3, 4)
    assert found.recall == pytest.approx(1 / 3)
    assert found.precision == pytest.approx(1 / 4)
    assert found.touched == pytest.approx(2 / 3)
    assert (found.n_same, found.n_all_truth, found.n_outside) == (2, 4, 1)


def test_what_has_no_truth_or_no_detection_is_undefined():
    nothing = fit({"a": []}, {}, {})
    assert (nothing.recall, nothing.precision, nothing.touched, nothing.same) == (None,) * 4
    assert nothing.n_outside is None
    missed = fit({"a": [BOX(0, 0, 9, 9)]}, {}, {})
    assert (missed.recall, missed.precision) == (0.0, None)


MISTAKES = {
    "exchanged boxes": (boxes_as(lambda x, y, r, b: (y, x, b, r)), "exchanged"),
    "exchanged corners": (quads_as(lambda x, y, r, b: (y, x, y, r, b, r, b, x)), "exchanged"),
    "sides": (boxes_as(lambda x, y, r, b: (x, y, r - x, b - y)), "sides"),
    "rows": (quads_as(lambda x, y, r, b: (x, y, r, y, x, b, r, b)), "rows"),
    "half the size": (boxes_as(lambda *box: [value / 2 for value in box]), "scaled:2"),
    "resized to 500 x 400": (
        boxes_as(lambda x, y, r, b: (x / 2, y / 1.5, r / 2, b / 1.5)),
        "scaled:2:1.5",
    ),
    "fractions": (
        boxes_as(lambda x, y, r, b: (x / 1000, y / 600, r / 1000, b / 600)),
        "share:1",
    ),
    "thousandths": (boxes_as(lambda x, y, r, b: (x, y / 0.6, r, b / 0.6)), "share:1000"),
    "files one too high": (moved(1), "previous"),
    "files one too low": (moved(-1), "next"),
}


@cases("mistake", MISTAKES)
def test_each_usual_mistake_is_recognised_and_undone(mistake):
    results, reading = MISTAKES[mistake]
    found = offer(results)
    assert found is not None
    assert found.reading == reading
    # A file that is moved off the end is lost.
    assert found.fit.recall >= (1.0 if "files" not in mistake else 11 / 12)
    assert found.as_read.recall < 0.3


@cases("mistake", ["exchanged corners", "rows"])
def test_a_reading_gives_back_the_corners_that_were_meant(mistake):
    results, reading = MISTAKES[mistake]
    read = readings.read_so(results, reading, sizes=SIZES, known=TRUTH)
    assert {image: [of.points for of in regions] for image, regions in read.items()} == {
        image: [of.points for of in regions] for image, regions in TRUTH.items()
    }


def test_nothing_is_offered_for_what_fits_or_what_no_reading_mends():
    assert offer(TRUTH) is None
    other = {
        image: [BOX(*map(float, of)) for of in boxes] for image, boxes in words(seed=9).items()
    }
    assert offer(other) is None
    assert offer({}) is None
    assert offer({image: [] for image in TRUTH}) is None


def test_shares_are_not_offered_where_a_size_is_unknown():
    found = offer(MISTAKES["thousandths"][0], {})
    assert found.reading == "scaled:1:0.6"


def test_names_are_renumbered_with_their_zeros():
    assert readings.renumbered("img_9", 1) == "img_10"
    assert readings.renumbered("0009.crop", 1) == "0010.crop"
    assert readings.renumbered("img_0", -1) is None
    assert readings.renumbered("street", 1) is None


def test_a_reading_is_said_in_words_and_others_are_refused():
    assert readings.words_of("exchanged") == "with x and y exchanged"
    assert readings.words_of("scaled:2:1.5") == "with x times 2 and y times 1.5"
    assert readings.words_of("share:1") == "as fractions of the image's width and height"
    for slug in ("", "turned", "scaled:0", "scaled:-1", "share:7", "scaled:1:2:3"):
        with pytest.raises(readings.ReadingError, match="is not a known reading"):
            readings.words_of(slug)
    with pytest.raises(readings.ReadingError, match="the size of img_1 is not known"):
        readings.read_so(TRUTH, "share:1", sizes={}, known=TRUTH)


def test_a_sample_is_bounded():
    names = [f"img_{at}" for at in range(1000)]
    assert len(sample(names, 4)) == 4
    assert sample(names[:3], 4) == names[:3]
    crowded = {name: [BOX(0, 0, 9, 9)] * 1000 for name in names[:250]}
    assert len(thinned(crowded)) == 2


# Results without boxes


def problems_of(results, with_text, absent=None):
    problems = Problems("net.zip")
    warn_of_empty_results(problems, results, with_text, absent)
    return [(problem.severity, problem.code, problem.found) for problem in problems.found]


def test_results_without_boxes_on_many_images_are_told_with_their_share():
    """458 of 500, as a detector that stopped early left them."""
    names = [f"img_{n}" for n in range(500)]
    results = {name: (WORD,) if n < 42 else () for n, name in enumerate(names)}
    found = "no boxes on 458 of 500 images whose ground truth has text (92 %)"
    assert problems_of(results, names) == [("warning", "F5", found)]


@cases(("n_empty", "n_full", "is_told"), [(2, 8, True), (2, 9, False), (1, 0, False), (4, 0, True)])
def test_less_than_a_fifth_of_the_images_or_a_single_one_is_no_pattern(n_empty, n_full, is_told):
    names = [f"img_{n}" for n in range(n_empty + n_full)]
    results = {name: () if n < n_empty else (WORD,) for n, name in enumerate(names)}
    assert bool(problems_of(results, names)) is is_told


def test_images_without_text_are_right_to_have_no_boxes():
    results = {"a": (WORD,), "b": (), "c": (), "d": ()}
    assert problems_of(results, {"a"}) == []
    assert problems_of(results, {"a", "b"}) == []
    assert "2 of 3" in problems_of(results, {"a", "b", "c"})[0][2]


def test_images_without_a_file_count_only_if_they_mean_no_boxes():
    results = {"a": (WORD,)}
    assert problems_of(results, {"a", "b", "c"}, "not-evaluated") == []
    assert "2 of 3" in problems_of(results, {"a", "b", "c"}, "empty")[0][2]


@cases("period", [2, 3, 10])
@cases("most", [100, 250])
def test_a_sample_sees_what_every_nth_file_lacks(period, most):
    """The share of empty files in the sample, within four standard errors of drawing without return."""
    names = [f"img_{n:04}" for n in range(500)]
    for phase in range(period):
        empty = set(names[phase::period])
        drawn = sample(names, most)
        assert drawn == sorted(set(drawn)), "in order, each once"
        share = len(empty) / 500
        error = math.sqrt(share * (1 - share) / most * (500 - most) / 499)
        assert abs(len(empty.intersection(drawn)) / most - share) < 4 * error
    assert sample(names, most) == sample(names, most)
    assert sample(names, 500) == names
