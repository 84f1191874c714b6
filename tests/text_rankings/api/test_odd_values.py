"""Values that the facade cannot use are refused with a sentence, or named as left out."""

import json

import numpy as np
import pytest

import text_rankings as tr
from protocols.core.errors import ProtocolError
from rankings.command_line.files import read_plain_scores, read_scores
from rankings.errors import RankingError
from tests.support.cases import cases
from tests.support.frames import Frame

NAN = float("nan")
AB = (("a",), ("b",))
PEOPLE = {"recall": {"1": {"ann": AB, "ben": AB, "cid": AB}}}


def scores_of(recall):
    return {"1": {"iou": {"a": (recall, 1), "b": (0.5, 1)}}}


def rows_of(recall):
    return [
        {"protocol": "iou", "method": name, "image": "1", "recall": own, "precision": 1}
        for name, own in (("a", recall), ("b", 0.5))
    ]


class TestScores:
    @cases(
        ("recall", "says"),
        [
            (NAN, "nan; expected a number in"),
            (2.5, r"2.5 \(looks like a percentage: divide by 100\); expected"),
            (-0.5, "-0.5; expected"),
            (np.float32(-0.5), "-0.5; expected"),
            ("0.9", "'0.9'; expected"),
            (True, "True; expected"),
            ([1], r"\[1\]; expected"),
        ],
    )
    def test_values_in_a_dictionary_that_are_no_fractions_are_refused(self, recall, says):
        with pytest.raises(RankingError, match=f"^1, iou, a: recall is {says}"):
            tr.report(PEOPLE, scores_of(recall), n_resamples=9)

    @cases(
        ("scores", "says"),
        [
            ({"1": 3}, "1: expected a dictionary of protocols, got 3"),
            ({"1": {"iou": 3}}, "1, iou: expected a dictionary of methods, got 3"),
            ({"1": {"iou": {"a": 1}}}, r"1, iou, a: expected \(recall, precision\), got 1"),
            ({"1": {"iou": {"a": (1,)}}}, r"1, iou, a: expected \(recall, precision\), got \(1,\)"),
            ({"1": {"iou": {"a": "10"}}}, r"1, iou, a: expected \(recall, precision\), got '10'"),
            ({"1": {"iou": {"a": (1, 90)}}}, "1, iou, a: precision is 90"),
        ],
    )
    def test_dictionaries_of_another_shape_are_refused(self, scores, says):
        with pytest.raises(RankingError, match=says):
            tr.report(PEOPLE, scores, n_resamples=9)

    def test_undefined_scores_stay_and_their_image_is_named_as_left_out(self):
        for scores in (scores_of(None), {"1": {"iou": {"a": None, "b": (0.5, 1)}}}):
            found = tr.report(PEOPLE, scores, n_resamples=9)
            assert found.left_out == [("recall", "1", "iou: a has no score")]
        whole = tr.report(PEOPLE, scores_of(np.float32(0.75)), n_resamples=9)
        assert whole.left_out == []

    @pytest.mark.parametrize("recall", [90, -0.5, float("inf"), "x", True])
    def test_tables_and_files_have_the_same_rule(self, recall, tmp_path):
        rows, said = rows_of(recall), "1, iou, a: recall is"
        with pytest.raises(RankingError, match=f"^scores, row 0: {said}"):
            tr.report(PEOPLE, Frame(rows), n_resamples=9)
        path = tmp_path / "scores.json"
        path.write_text(json.dumps(rows))
        for read in (read_plain_scores, read_scores):
            with pytest.raises(RankingError, match=f"scores.json, line 1: {said}"):
                read(str(path))

    def test_a_score_of_0_in_json_is_a_score(self, tmp_path):
        path = tmp_path / "scores.json"
        path.write_text(json.dumps(rows_of(0)))
        assert read_plain_scores(str(path)) == {"1": {"iou": {"a": (0, 1), "b": (0.5, 1)}}}

    @cases("name", ["image", "protocol", "method"])
    def test_rows_without_a_name_or_twice_are_refused(self, name):
        rows = rows_of(0.9)
        for missing in (None, NAN, " "):
            with pytest.raises(RankingError, match=f"scores, row 1 names no {name}"):
                tr.report(PEOPLE, Frame([rows[0], rows[1] | {name: missing}]), n_resamples=9)
        with pytest.raises(RankingError, match="row 1: 1, iou, a occurs twice"):
            tr.report(PEOPLE, Frame([rows[0], rows[0]]), n_resamples=9)
        del rows[0][name]
        with pytest.raises(RankingError, match=f"scores, row 0 has no {name}"):
            tr.report(PEOPLE, Frame(rows), n_resamples=9)


BOXES = {"1": [[0, 0, 100, 40]]}


class TestScore:
    @cases("protocols", [3, None, 2.5])
    def test_what_names_no_protocol_is_refused(self, protocols):
        with pytest.raises(ProtocolError, match=f"named by a text such as 'iou', got {protocols}"):
            tr.score(BOXES, BOXES, protocols)

    @cases(
        ("results", "options", "unused"),
        [
            (BOXES, {"format": "icdar"}, "format"),
            (
                BOXES,
                {"truth_format": "icdar", "results_format": "quad"},
                "truth_format, results_fo",
            ),
            ({"east": BOXES, "craft": BOXES}, {"results_format": "quad"}, "results_format"),
            (Frame([{"image": "1", "left": 0}]), {"format": "csv"}, "format"),
            ("results.csv", {"truth_format": "csv"}, "truth_format"),
        ],
    )
    def test_a_format_of_no_file_is_refused(self, results, options, unused):
        with pytest.raises(ProtocolError, match=f"^{unused}.*: names the format of files"):
            tr.score(BOXES, results, **options)

    def test_the_format_of_a_file_beside_arrays_is_used(self, tmp_path):
        path = tmp_path / "results.csv"
        path.write_text("image,left,top,right,bottom\n1,0,0,100,40\n")
        for name in ("format", "results_format"):
            assert tr.score(BOXES, path, **{name: "csv"}).overall.recall == 1
            with pytest.raises(ProtocolError, match="no-such-format"):
                tr.score(BOXES, path, **{name: "no-such-format"})

    @pytest.mark.parametrize(
        ("truth", "results", "options", "what"),
        [
            ("", BOXES, {}, "truth"),
            (BOXES, "", {}, "results"),
            (BOXES, {"east": ""}, {}, "results"),
            ("", "", {}, "truth"),
            (BOXES, BOXES, {"images": ""}, "photographs"),
        ],
    )
    def test_an_empty_path_is_not_the_current_folder(
        self, truth, results, options, what, tmp_path, monkeypatch
    ):
        tmp_path.joinpath("1.txt").write_text("0,0,100,0,100,40,0,40\n")
        monkeypatch.chdir(tmp_path)
        with pytest.raises(ProtocolError, match=f"the path of the {what} is empty"):
            tr.score(truth, results, **options)


class TestRank:
    NO_IMAGE = "answers without an image, among others that have one, count as those of one image"
    NAMELESS = "answers without an annotator count as those of one nameless person"

    @cases("missing", [None, NAN, ""])
    def test_a_missing_image_or_annotator_is_said(self, missing):
        pair = {"annotator": "ann", "left": "a", "right": "b", "verdict": "left"}
        ranking = {"annotator": "ann", "criterion": "recall", "buckets": [["a"], ["b"]]}
        for row in (pair, ranking):
            rows = [row | {"image": "1"}, row | {"image": missing}]
            for answers in (rows, Frame(rows)):
                assert tr.rank(answers).notes == (self.NO_IMAGE,)
            assert tr.rank([rows[1]]).notes == tr.rank([rows[0]]).notes == ()
            assert tr.rank([rows[0] | {"annotator": missing}]).notes == (self.NAMELESS,)

    @cases("missing", [None, NAN, ""])
    def test_a_missing_name_in_a_dictionary_is_no_name(self, missing):
        found = tr.rank({"recall": {"1": {missing: AB, "ann": AB}}})
        assert found.rankings == {"recall": {"1": {"": AB, "ann": AB}}}
        assert found.notes == (self.NAMELESS,)
        found = tr.rank({"recall": {missing: {"ann": AB}, 1: {"ann": AB}}})
        assert found.rankings == {"recall": {"": {"ann": AB}, "1": {"ann": AB}}}
        assert found.notes == (self.NO_IMAGE,)

    def test_two_keys_of_one_name_are_refused(self):
        with pytest.raises(RankingError, match=r"^recall, 1: 7 occurs twice"):
            tr.rank({"recall": {"1": {7: AB, "7": AB}}})
        with pytest.raises(RankingError, match=r"^recall: what has no name occurs twice"):
            tr.rank({"recall": {None: {"ann": AB}, NAN: {"ann": AB}}})
