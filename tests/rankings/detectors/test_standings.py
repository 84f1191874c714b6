"""Where the detectors stand: small studies by hand, what is left out, files and tables."""

import csv
import json
import random

import numpy as np
import pytest

from rankings.__main__ import main
from rankings.analysis.detector_verdicts import beside_figures, preferred
from rankings.command_line.files import as_text, read_scores
from rankings.detectors.soft_accuracy import Options
from rankings.detectors.standings import detectors
from rankings.output.detector_tables import detector_tables
from tests.support.cases import cases
from tests.support.notes import check_note
from tests.support.rankings import tallies_of_scores

OPTIONS = Options(n_permutations=100, n_resamples=50)


def abc(order):
    return tuple((name,) for name in order)


RANKING_COLUMNS = ("image", "annotator", "criterion", "buckets")
SCORE_COLUMNS = ("protocol", "method", "image", "recall", "precision")
# People: a before b before c on four of five images.
RANKINGS = {f"img_{at}": {"x": abc("abc"), "y": abc("abc" if at < 4 else "cba")} for at in range(5)}
# "same" orders as they do; "other" puts b before a, by two images.
SAME = {"a": (0.9, 0.9), "b": (0.5, 0.5), "c": (0.1, 0.1)}
SCORES = {
    f"img_{at}": {
        "same": SAME,
        "other": {**SAME, "a": ((0.0 if at in (1, 3) else 0.6), 0.9)},
    }
    for at in range(5)
}


def of_recall(rankings=RANKINGS, scores=SCORES, **others):
    tallies = tallies_of_scores(scores)
    return detectors({"recall": rankings}, tallies, OPTIONS, **others).criteria["recall"]


def test_orders_and_pairs_by_hand():
    ours = of_recall()
    assert ours.order == abc("abc")
    same, other = ours.protocols
    assert (same.protocol, same.order, same.n_wrong) == ("same", abc("abc"), 0)
    assert (same.hard.value, other.hard.value) == (1, pytest.approx(2 / 3))
    assert other.order == abc("bac")
    assert other.figures == pytest.approx({"a": 1.8 / 5, "b": 0.5, "c": 0.1})
    [wrong] = other.wrong
    assert (wrong.first, wrong.second, wrong.images) == ("a", "b", ("img_1", "img_3"))
    # Leads of a over b are +2 on four images and 0 on one: only the 2 of 32 patterns that exchange none
    # of the four have the same sum, and none a larger one.
    assert wrong.p_people == pytest.approx(1 / 32)
    # b less a is 0.5, 0.5, -0.1, -0.1, -0.1, in sum 0.7: larger are the sums of both with one, two or
    # three signs of the others turned, 7 patterns of 32; one is the same.
    assert wrong.p_protocol == pytest.approx((7 + 0.5) / 32)
    assert (wrong.figure_first, wrong.figure_second) == pytest.approx((0.36, 0.5))


def test_of_a_wrong_pair_the_one_that_people_prefer_comes_first_whatever_the_names():
    other = {"a": "b", "b": "a", "c": "c"}
    rankings = {
        image: {
            person: tuple(tuple(other[name] for name in bucket) for bucket in ranking)
            for person, ranking in of_image.items()
        }
        for image, of_image in RANKINGS.items()
    }
    scores = {
        image: {
            protocol: {other[name]: values for name, values in of_protocol.items()}
            for protocol, of_protocol in of_image.items()
        }
        for image, of_image in SCORES.items()
    }
    [wrong] = of_recall(rankings, scores).protocols[1].wrong
    assert (wrong.first, wrong.second, wrong.images) == ("b", "a", ("img_1", "img_3"))
    assert (wrong.p_people, wrong.p_protocol) == pytest.approx((1 / 32, 7.5 / 32))
    assert (wrong.figure_first, wrong.figure_second) == pytest.approx((0.36, 0.5))


def test_precision_and_preference_have_their_own_figures():
    tallies = tallies_of_scores(SCORES)
    ours = detectors({"precision": RANKINGS, "preference": RANKINGS}, tallies, OPTIONS).criteria
    assert [one.n_wrong for one in ours["precision"].protocols] == [0, 0]
    figures = {one.protocol: one.figures for one in ours["preference"].protocols}
    assert figures["other"]["a"] == pytest.approx(2 * 0.36 * 0.9 / 1.26)


def test_a_protocol_that_lacks_a_method_is_left_out():
    scores = {
        image: {**of_image, "partial": {"a": (1.0, 1.0), "b": (0.5, 0.5)}}
        for image, of_image in SCORES.items()
    }
    ours = of_recall(scores=scores)
    assert ours.left_out == (("partial", "it has not scored c"),)
    assert {one.protocol for one in ours.protocols} == {"same", "other"}


def test_missing_and_undefined_scores_are_told_apart():
    scores = {image: dict(of_image) for image, of_image in SCORES.items()}
    scores["img_0"] = {"same": {"a": (None, 0.9), "b": (0.5, 0.5)}, "other": SAME}
    [same] = [one for one in of_recall(scores=scores).protocols if one.protocol == "same"]
    assert same.figures == pytest.approx({"a": 0.9, "b": 0.5})
    assert same.methods_left_out == (("c", 4, 5),)


def lacking(scores, method, images):
    """Return scores without those of a method on some images."""
    return {
        image: {
            name: {one: score for one, score in own.items() if one != method or image not in images}
            for name, own in of_image.items()
        }
        for image, of_image in scores.items()
    }


def repeated(rows, n=12):
    """Return the rows of five images for more of them, in turn."""
    return {f"img_{at}": rows[f"img_{at % 5}"] for at in range(n)}


def test_a_method_that_lacks_images_is_compared_on_the_shared_ones():
    """Without img_1 and img_3, on which it is worst, "a" would be the best by "other"."""
    scores = lacking(repeated(SCORES), "a", ("img_1", "img_3"))
    found = of_recall(repeated(RANKINGS), scores)
    assert found.images_left_out == (
        ("img_1", "other has not scored a"),
        ("img_3", "other has not scored a"),
    )
    assert (found.people.n_images, found.n_images_left_out) == (10, 2)
    [other] = [one for one in found.protocols if one.protocol == "other"]
    # Of the shared ten it has 0 on img_6, img_8 and img_11, and 0.6 on seven.
    assert other.figures == pytest.approx({"a": 0.42, "b": 0.5, "c": 0.1})
    assert other.methods_left_out == ()


def test_a_method_that_shares_fewer_than_ten_images_is_left_out_of_the_order():
    """On its only image "a" is the best; the other two are compared on all of theirs."""
    scores = lacking(repeated(SCORES), "a", [f"img_{at}" for at in range(1, 12)])
    found = of_recall(repeated(RANKINGS), scores)
    assert (found.people.n_images, found.images_left_out, found.left_out) == (12, (), ())
    assert found.order == abc("abc")
    for own in found.protocols:
        assert own.figures == pytest.approx({"b": 0.5, "c": 0.1})
        assert (own.order, own.n_wrong, own.hard.value) == (abc("bc"), 0, 1)
        assert own.methods_left_out == (("a", 1, 12),)


def test_one_protocol_that_lacks_images_of_a_method_leaves_the_others_whole():
    lacks = lacking(repeated(SCORES), "c", [f"img_{at}" for at in range(10)])
    scores = {
        image: {"same": of_image["same"], "other": lacks[image]["other"]}
        for image, of_image in repeated(SCORES).items()
    }
    same, other = of_recall(repeated(RANKINGS), scores).protocols
    assert (same.order, same.methods_left_out) == (abc("abc"), ())
    # a has 0.6 on seven images and 0 on five: 4.2 / 12, less than b's 0.5.
    assert (other.order, other.methods_left_out) == (abc("ba"), (("c", 2, 12),))
    assert [(one.first, one.second) for one in other.wrong] == [("a", "b")]


def test_a_protocol_with_too_few_images_does_not_take_those_of_the_others():
    few = {image: of_image["other"] for image, of_image in [*SCORES.items()][:2]}
    scores = {
        image: {"same": SAME} | ({"other": few[image]} if image in few else {})
        for image in repeated(SCORES)
    }
    found = of_recall(repeated(RANKINGS), scores)
    assert [one.protocol for one in found.protocols] == ["same"]
    assert found.left_out == (("other", "it has scored 2 of 12 images"),)
    assert (found.people.n_images, found.n_images_left_out) == (12, 0)


def test_protocols_in_which_every_method_lacks_images_are_left_out():
    scores = SCORES
    for method, images in (("a", ("img_0", "img_1")), ("b", ("img_2",)), ("c", ("img_3",))):
        scores = lacking(scores, method, images)
    found = of_recall(scores=scores)
    reason = "no method has all its images: a: 3 of 5 images, b: 4 of 5 images, c: 4 of 5 images"
    assert (found.protocols, found.left_out) == ((), (("other", reason), ("same", reason)))
    assert (found.order, found.people.n_images) == (abc("abc"), 5)


def test_criteria_without_an_order_say_so_and_others_have_theirs():
    apart = {"img_0": {"x": abc("ab")}, "img_1": {"x": abc("cd")}}
    whole = {"img_0": {"x": abc("abcd")}, "img_1": {"x": abc("abcd")}}
    scores = {image: {"p": dict.fromkeys("abcd", (0.5, 0.5))} for image in apart}
    tallies = tallies_of_scores(scores)
    found = detectors({"recall": apart, "precision": whole}, tallies, OPTIONS)
    none, order = found.criteria["recall"], found.criteria["precision"]
    assert (none.order, none.protocols, none.people.strengths) == ((), (), ())
    assert none.people.reason == "no order over all images: no answer connects a, b; c, d"
    assert order.order == abc("abcd")
    text = as_text(found.to_json())
    assert text.count("recall: no order over all images: no answer connects a, b; c, d") == 1


def test_the_shell_says_which_methods_lack_images(tmp_path, capsys):
    """By its two images "part" is better than "full"; people put it last on all twelve."""
    order = '[["full"], ["part"]]'
    rankings = [(f"img_{at}", name, "recall", order) for at in range(12) for name in "xy"]
    scores = [("iou", "full", f"img_{at}", 0.1 if at < 2 else 0.9, 1) for at in range(12)]
    scores += [("iou", "part", f"img_{at}", 0.5, 1) for at in range(2)]
    files = [
        write(tmp_path / "rankings.csv", RANKING_COLUMNS, rankings),
        write(tmp_path / "scores.csv", SCORE_COLUMNS, scores),
    ]
    assert main(["detectors", *files]) == 0
    said = capsys.readouterr().out
    assert "recall: the order of iou leaves out part: 2 of 12 images" in said
    assert "part > full" not in said
    assert main(["detectors", "--json", *files]) == 0
    own = json.loads(capsys.readouterr().out)["criteria"]["recall"]
    [iou] = own["protocols"]
    # (0.1 + 0.1 + 10 x 0.9) / 12
    assert iou["figures"] == {"full": pytest.approx(9.2 / 12)}
    assert (iou["n_wrong"], own["n_images_left_out"], own["images_left_out"]) == (0, 0, [])


def test_the_shell_says_what_people_prefer_in_the_sentence_of_the_page(tmp_path, capsys):
    """With the groups that the file of rankings declares, which were read by ``analyse`` alone."""
    draw = random.Random(8)
    rows = []
    for at in range(20):
        for person in range(6):
            quality = {name: draw.gauss(3 - n, 0.5) for n, name in enumerate("abc")}
            order = sorted(quality, key=lambda name: -quality[name])
            buckets = json.dumps([[name] for name in order])
            rows.append((f"img_{at}", f"p{person}", "recall", buckets, f"site {person % 3}"))
    rankings = write(tmp_path / "rankings.csv", (*RANKING_COLUMNS, "group"), rows)
    scores = [
        ("iou", name, f"img_{at}", (9 - n) / 10, 1)
        for at in range(20)
        for n, name in enumerate("abc")
    ]
    files = [
        rankings,
        write(tmp_path / "scores.csv", SCORE_COLUMNS, scores),
        *("--resamples", "20"),
    ]
    assert main(["detectors", *files]) == 0
    said = capsys.readouterr().out
    assert main(["detectors", "--json", *files]) == 0
    found = json.loads(capsys.readouterr().out)["criteria"]["recall"]["preferences"]
    assert found["comparisons"]["n_groups"] == 3
    sentence = preferred("recall", found)
    assert sentence.startswith("By recall, people prefer a to all others")
    assert sentence.endswith("(120 rankings of 20 images by 3 groups).")
    for line in (sentence, *beside_figures(found)):
        assert f"{line}\n" in said
    assert said.index(sentence) < said.index("People's preferences between the detectors")


def test_the_order_of_the_rows_changes_no_digit(tmp_path, capsys):
    draw = random.Random(3)
    lines = [
        (f"img_{at}", name, "recall", json.dumps(abc(draw.sample("abcd", 4))))
        for at in range(14)
        for name in "xyz"
    ]
    scores = [
        (protocol, method, f"img_{at}", draw.random(), 1)
        for protocol in ("p", "q")
        for method in "abcd"
        for at in range(14)
    ]
    found = set()
    for _ in range(4):
        shuffled, scored = draw.sample(lines, len(lines)), draw.sample(scores, len(scores))
        files = [
            write(tmp_path / "rankings.csv", RANKING_COLUMNS, shuffled),
            write(tmp_path / "scores.csv", SCORE_COLUMNS, scored),
        ]
        assert main(["detectors", "--json", "--resamples", "50", *files]) == 0
        found.add(json.dumps(json.loads(capsys.readouterr().out), sort_keys=True))
    assert len(found) == 1


def test_images_without_enough_rankings_do_not_count():
    rankings = {**RANKINGS, "img_0": {"x": abc("cba")}, "img_1": {}}
    ours = of_recall(rankings, min_annotators=2)
    assert (ours.people.n_images, ours.n_images_left_out) == (3, 2)
    reason = "too few rankings, or rankings of different methods"
    assert ours.images_left_out == (("img_0", reason), ("img_1", reason))


@cases(
    ("rankings", "reason"),
    [
        ({}, "no ranking"),
        ({"img_0": RANKINGS["img_0"]}, "one image says nothing about others"),
    ],
)
def test_hardly_a_study_says_why_there_are_no_limits(rankings, reason):
    ours = of_recall(rankings)
    assert ours.people.reason == reason
    assert all(one.soft.low is None for one in ours.protocols)


def test_annotators_who_share_no_image_and_one_annotator_have_an_answer():
    apart = {image: {f"annotator-{at}": abc("abc")} for at, image in enumerate(RANKINGS)}
    assert of_recall(apart).people.n_annotators == 5
    alone = of_recall({f"img_{at}": {"x": abc("abc")} for at in range(10)}, repeated(SCORES))
    assert "one annotator" in alone.people.reason


def test_without_a_protocol_there_are_still_strengths():
    ours = of_recall(scores={})
    assert ours.protocols == ()
    assert [one.method for one in ours.people.strengths] == ["a", "b", "c"]


def test_criteria_of_different_images_are_compared_apart():
    tallies = tallies_of_scores(SCORES)
    fewer = {image: RANKINGS[image] for image in ("img_0", "img_1")}
    ours = detectors({"recall": RANKINGS, "precision": fewer}, tallies, OPTIONS).criteria
    assert list(ours) == ["recall", "precision"]
    assert [own.people.n_images for own in ours.values()] == [5, 2]
    assert ours["recall"] == of_recall()


def test_at_most_thirty_pairs_are_listed_and_all_are_counted():
    methods = [f"m{at}" for at in range(9)]
    rankings = {f"img_{at}": {"x": abc(methods)} for at in range(4)}
    scores = {
        image: {"turned": {name: (at / 9, 0.0) for at, name in enumerate(methods)}}
        for image in rankings
    }
    [own] = of_recall(rankings, scores).protocols
    assert (own.n_wrong, len(own.wrong), own.hard.value) == (36, 30, 0)


def test_tables_have_a_row_each():
    data = detectors({"recall": RANKINGS}, tallies_of_scores(SCORES), OPTIONS).to_json()
    json.dumps(data, allow_nan=False)
    tables = {table.slug: table for table in detector_tables(data)}
    for table in tables.values():
        check_note(table.note, [column.name for column in table.columns])
    assert [row[1] for row in tables["strengths"].rows] == ["a", "b", "c"]
    assert [row[1] for row in tables["standings"].rows] == ["same", "other"]
    [row] = tables["wrongpairs"].rows
    assert row[1:4] == ("other", "a", "b")
    assert row[-1] == "img_1; img_3"


def write(path, columns, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([columns, *rows])
    return str(path)


@pytest.fixture
def files(tmp_path):
    rows = [
        (image, name, "recall", json.dumps(ranking), "true")
        for image, of_image in RANKINGS.items()
        for name, ranking in of_image.items()
    ]
    rows.append(("img_0", "left out", "recall", '[["c"], ["b"], ["a"]]', "false"))
    rankings = write(tmp_path / "rankings.csv", (*RANKING_COLUMNS, "in_reports"), rows)
    scores = write(
        tmp_path / "scores.csv",
        (*SCORE_COLUMNS, "f_score"),
        [
            (protocol, method, image, *score, "")
            for image, of_image in SCORES.items()
            for protocol, of_protocol in of_image.items()
            for method, score in of_protocol.items()
        ]
        + [("same", "a", "*", 0, 0, 0)],
    )
    return rankings, scores


def test_the_command_reads_csv(files, capsys):
    options = ("--permutations", "100", "--resamples", "50")
    assert main(["detectors", *files, *options, "--json"]) == 0
    assert (
        json.loads(capsys.readouterr().out)["criteria"]["recall"]
        == json.loads(
            json.dumps(
                detectors({"recall": RANKINGS}, tallies_of_scores(SCORES), OPTIONS).to_json()
            )
        )["criteria"]["recall"]
    )
    assert main(["detectors", *files, *options]) == 0
    text = capsys.readouterr().out
    assert "Strengths of the detectors" in text
    assert "a > b > c" in text


def test_sums_go_before_scores(tmp_path):
    path = write(
        tmp_path / "scores.csv",
        *(
            (
                *("protocol", "method", "image", "recall", "precision"),
                *("recalled", "n_truth", "precise", "n_detections"),
            ),
            [("p", "a", "img", 0.5, "", 2, 4, 0, 0), ("p", "b", "img", 0.5, "", "", "", "", "")],
        ),
    )
    assert read_scores(path).sums[0, 0].tolist() == [[2, 4, 0, 0], [0.5, 1, 0, 0]]
    assert np.all(read_scores(path).is_scored)


@pytest.mark.parametrize(
    ("columns", "row", "says"),
    [
        (("image",), ("img",), "has no column criterion"),
        (("image", "annotator", "criterion", "buckets"), ("i", "x", "recall", "a"), "line 2"),
        (
            ("image", "annotator", "criterion", "buckets"),
            ("i", "x", "recall", '[["a"],["a"]]'),
            "a",
        ),
    ],
)
def test_bad_files_are_refused_with_their_line(columns, row, says, files, tmp_path, capsys):
    path = write(tmp_path / "bad.csv", columns, [row])
    assert main(["detectors", path, files[1]]) == 2
    assert says in capsys.readouterr().err


def test_a_missing_file_is_refused(files, capsys):
    assert main(["detectors", files[0], "nowhere.csv"]) == 2
    assert "nowhere.csv cannot be read" in capsys.readouterr().err
