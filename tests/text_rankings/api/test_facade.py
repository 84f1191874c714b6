"""The facade gives what the libraries give, from any kind of data, and refuses with the same sentences."""

import json
import subprocess
import sys
import warnings
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import text_rankings as tr
from protocols import registry
from protocols.coco import evaluate
from protocols.command_line.batch import score_files
from protocols.core.errors import DataWarning, MissingPackage, ProtocolError
from rankings.agreement.report import Settings, build_report
from rankings.errors import RankingError
from tests.support.archives import zip_file
from tests.support.cases import cases
from tests.support.documents import ROOT, blocks_of
from tests.support.frames import Frame

WORDS = {"1": [[0, 0, 99, 39], [0, 60, 99, 99]], "2": [[10, 10, 109, 49]]}
FOUND = {"1": [[0, 0, 99, 39]], "2": []}


class Tensor:
    """The part of a tensor on another device that the facade uses."""

    def __init__(self, values):
        self.values = np.array(values, dtype=np.float32)

    def detach(self):
        return self

    def cpu(self):
        return self

    def tolist(self):
        return self.values.tolist()

    def __len__(self):
        return len(self.values)


def frame_of(images, **more):
    sides = ("left", "top", "right", "bottom")
    empty = dict.fromkeys(sides, float("nan"))
    return Frame(
        [
            {"image": f"{name}.jpg", **dict(zip(sides, box, strict=True)), **more}
            for name, boxes in images.items()
            for box in boxes
        ]
        + [{"image": name, **empty, **more} for name, boxes in images.items() if not boxes]
    )


def coco_of(images):
    boxes = [
        {"image_id": int(name), "bbox": [left, top, right - left, bottom - top], "score": 1.0}
        for name, own in images.items()
        for left, top, right, bottom in own
    ]
    listed = [{"id": int(name), "file_name": f"{name}.jpg"} for name in images]
    return {"images": listed, "annotations": boxes}, boxes


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("facade")
    for prefix, images in (("gt", WORDS), ("res", FOUND)):
        tail = ',"word"' if prefix == "gt" else ""
        lines = {
            f"{prefix}_{name}.txt": "".join(f"{','.join(map(str, box))}{tail}\n" for box in boxes)
            for name, boxes in images.items()
        }
        zip_file(folder / f"{prefix}.zip", lines)
        folder.joinpath(prefix).mkdir()
        for name, text in lines.items():
            folder.joinpath(prefix, name).write_text(text)
    truth, results = coco_of(WORDS)[0], coco_of(FOUND)[1]
    folder.joinpath("truth.json").write_text(json.dumps(truth))
    folder.joinpath("results.json").write_text(json.dumps(results))
    return folder


def given(kind, folder):
    return {
        "zips": lambda: (folder / "gt.zip", str(folder / "res.zip")),
        "folders": lambda: (folder / "gt", folder / "res"),
        "COCO": lambda: (coco_of(WORDS)[0], coco_of(FOUND)[1]),
        "COCO files": lambda: (str(folder / "truth.json"), folder / "results.json"),
        "lists": lambda: (WORDS, FOUND),
        "images in order": lambda: (list(WORDS.values()), list(FOUND.values())),
        "arrays": lambda: tuple(
            {f"{name}.png": np.array(boxes).reshape(-1, 4) for name, boxes in images.items()}
            for images in (WORDS, FOUND)
        ),
        "tensors": lambda: tuple(
            {name: {"boxes": Tensor(boxes)} for name, boxes in images.items()}
            for images in (WORDS, FOUND)
        ),
        "data frames": lambda: (frame_of(WORDS), frame_of(FOUND)),
        "truth of a zip": lambda: (folder / "gt.zip", FOUND),
    }[kind]()


KINDS = ["zips", "folders", "COCO", "COCO files", "lists", "images in order", "arrays", "tensors"]


@pytest.mark.parametrize("kind", [*KINDS, "data frames", "truth of a zip"])
def test_every_kind_of_data_gives_the_same_scores(kind, files):
    """By hand: one of three words is found, and nothing else. The second way: the files by the libraries."""
    truth, results = given(kind, files)
    # As the shell says of such files: a list of COCO names no image without results.
    told = (
        pytest.warns(match="found no entry for 1 image") if kind == "COCO files" else nullcontext()
    )
    with told:
        found = tr.score(truth, results, "iou")
    assert (found.overall.recall, found.overall.precision) == (pytest.approx(1 / 3), 1.0)
    assert [score.recall for score in found.per_image.values()] == [0.5, 0.0]
    assert [len(matches) for matches in found.matches.values()] == [1, 0]
    iou = registry.get("iou")
    [(_, _, [scored])] = score_files([iou], str(files / "gt.zip"), [str(files / "res.zip")])
    overall = found.overall
    assert (overall.recall, overall.precision, overall.f_score) == scored.overall


def test_coco_is_scored_as_its_own_entry_scores_it():
    truth, results = coco_of(WORDS)[0], coco_of(FOUND)[1]
    assert tr.score(truth, results, "deteval").overall == (
        evaluate(truth, results, "deteval").overall
    )


def test_levels_are_those_of_the_call(files):
    protocols = ["IoU", "deteval"]
    alone = tr.score(WORDS, FOUND, "iou")
    methods = tr.score(WORDS, {"east": FOUND, "all": WORDS}, "iou")
    both = tr.score(WORDS, {"east": FOUND, "all": WORDS}, protocols)
    assert methods.overall["east"] == both.overall["iou"]["east"] == alone.overall
    assert both.overall["deteval"]["all"].recall == 1.0
    assert tr.score(WORDS, FOUND, protocols).overall["iou"] == alone.overall
    assert alone.causes()[0].n_truth == 2  # missed
    assert {row["method"] for row in both.rows()} == {"east", "all"}
    frame = frame_of(FOUND, method="east")
    assert tr.score(WORDS, frame, "iou").overall["east"] == alone.overall
    paths = {"zip": files / "res.zip", "folder": files / "res"}
    with pytest.warns(DataWarning, match="the same boxes as “zip” on every image"):
        found = tr.score(files / "gt.zip", paths).overall
    assert found["zip"] == found["folder"] == alone.overall


def test_all_takes_the_protocols_that_fit_and_says_which_do_not():
    found = tr.score(WORDS, FOUND, "all")
    assert found.left_out["cleval"] == "the ground truth has no transcriptions"
    assert "cleval" not in found.overall
    assert "Left out: " in str(found)


NAN = float("nan")


@cases(
    ("truth", "results", "protocols", "says"),
    [
        (WORDS, {"1": [[0, 0, NAN, 9]]}, "iou", r"results, image '1', regions\[0\] needs finite"),
        (WORDS, {"1": [[0, 0, 9]]}, "iou", r"image '1', regions\[0\].*three points"),
        ({"1": [[0, 0, "x", 9]]}, FOUND, "iou", r"truth, image '1', regions\[0\].*'x'"),
        (WORDS, {"1": 5}, "iou", "image '1' needs a list of regions, got 5"),
        (WORDS, {"1": {"box": []}}, "iou", "method|needs one of boxes"),
        (WORDS, {"img_3": [[0, 0, 9, 9]], "1": []}, "iou", "regions for img_3; .* has 1, 2"),
        (WORDS, {}, "iou", "empty dictionary"),
        ({}, [], "iou", "no images"),
        (WORDS, [[], [], []], "iou", "results of 3 images, and truth of 2"),
        (WORDS, 5, "iou", "must be a path.*got int"),
        (WORDS, FOUND, "iuo", "did you mean 'iou'"),
        (WORDS, FOUND, [], "no protocol is named"),
        (WORDS, FOUND, "cleval", "cleval cannot score this: the ground truth has no transcr"),
        (WORDS, frame_of({"1": [[0, 0, "wide", 9]]}), "iou", "line 2: found “wide”; expected"),
        (WORDS, Frame([{"image": "1", "x": 3}]), "iou", "results, a data frame.*expected image"),
        (coco_of(WORDS)[0], [{"image_id": 2, "bbox": [0, 0, NAN, 9]}], "iou", "image “2”"),
        ("nowhere.zip", "res.zip", "iou", "nowhere.zip: found no file of this name"),
        ({"a.jpg": [], "a.png": []}, {"a": []}, "iou", "the image 'a' twice"),
    ],
)
def test_wrong_inputs_are_refused_with_their_place(truth, results, protocols, says):
    with pytest.raises(ProtocolError, match=says):
        tr.score(truth, results, protocols)


def test_two_files_of_one_name_are_not_taken_for_one_method():
    with pytest.raises(ProtocolError, match="two files are results of one method"):
        tr.score(WORDS, ["first/net.zip", "second/net.zip"], "iou")


def test_units_that_are_probably_meant_otherwise_are_noticed():
    shares = {"1": [[0.1, 0.1, 0.6, 0.3]]}
    with pytest.raises(ProtocolError, match="scores need pixels: pass sizes="):
        tr.score(shares, shares)
    beyond = {"1": [[0.1, 0.1, 1.2, 0.3]]}
    with pytest.warns(UserWarning, match="pass sizes") as warned:
        tr.score(beyond, beyond)
    assert warned[0].filename == __file__
    assert tr.score(shares, shares, sizes={"1": (200, 100)}).overall.recall == 1.0
    with pytest.warns(UserWarning, match="box_format='xywh'"):
        tr.score({"1": [[50, 60, 20, 10]]}, {"1": []})
    sides = tr.score({"1": [[50, 60, 20, 10]]}, {"1": [[50, 60, 20, 10]]}, box_format="xywh")
    assert sides.scenes[""][0].truth[0].box == (50, 60, 70, 70)


def test_two_settings_of_one_protocol_are_refused():
    strict = registry.get("iou", {"min_iou": 0.9})
    with pytest.raises(ProtocolError, match="twice, with other parameters"):
        tr.score(WORDS, FOUND, ["iou", strict])
    assert tr.score(WORDS, FOUND, ["iou", "IOU"]).overall.keys() == {"iou"}
    assert tr.score(WORDS, FOUND, parameters={"min_iou": 0.9}).protocols["iou"] == strict


HALVES = {
    name: {"1": WORDS["1"][: at + 1], "2": [[10, 10, 80 + 5 * at, 49]]}
    for at, name in enumerate("ab")
}


class TestCompare:
    TRUTH = {str(at): [[0, 0, 99, 39], [0, 60, 99, 99]] for at in range(12)}
    METHODS = {
        "low": {str(at): [[0, 0, 99, 39]][: at % 3] for at in range(12)},
        "high": {str(at): [[0, 0, 99, 39], [0, 60, 99, 80]] for at in range(12)},
    }

    # A third of the images of one method has no boxes.
    @pytest.mark.filterwarnings("ignore:low. found no boxes on 4 of 12 images")
    @cases("slug", ["iou", "deteval", "panoptic-quality"])
    def test_intervals_are_those_of_resampled_official_figures(self, slug):
        """The second way: the protocol's own overall() of images drawn by hand from the same weights."""
        from rankings.inference.resampling import BLOCK, SEED, resampled_weights

        found = tr.compare(self.TRUTH, self.METHODS, slug, n_resamples=40)
        weights = np.concatenate(
            [of for _, of in resampled_weights(np.random.default_rng(SEED), 12, 40, BLOCK)], axis=1
        )
        protocol = found.scores.protocols[slug]
        differences = []
        for counts in weights.astype(int):
            low, high = (
                protocol.overall(
                    [of for of, n in zip(own, counts, strict=True) for _ in range(n)]
                ).f_score
                for own in (found.scores.scores[slug][name] for name in ("low", "high"))
            )
            differences.append(low - high)
        [one] = found.differences
        limits = np.quantile(differences, [0.025, 0.975])
        assert (one.low, one.high) == pytest.approx(tuple(limits))

    # Boxes of half a word fit the ground truth if they are stretched.
    @pytest.mark.filterwarnings("ignore:halves. found as read", "ignore:some. found no boxes")
    def test_protocols_that_order_methods_differently_are_named(self):
        """By hand: halves of words are nothing for iou; as many as there are words are right for count."""
        halves = {name: [[0, 0, 45, 39], [0, 60, 45, 99]] for name in self.TRUTH}
        some = {name: boxes if int(name) == 0 else [] for name, boxes in self.TRUTH.items()}
        found = tr.compare(self.TRUTH, {"some": some, "halves": halves}, ["iou", "count"])
        for one in found.disagreements:
            assert (one.first, one.second) == ("some", "halves")
            assert (one.for_first, one.for_second) == (("iou",), ("count",))
        assert len(found.disagreements) == 1
        assert "Where protocols disagree" in str(found)

    @pytest.mark.filterwarnings(
        "ignore:.* of the ground truth with the same", "ignore:.*same boxes"
    )
    def test_equal_methods_differ_by_nothing(self):
        found = tr.compare(self.TRUTH, {"a": self.TRUTH, "b": self.TRUTH}, n_resamples=9)
        assert [(one.value, one.low, one.high) for one in found.differences] == [(0, 0, 0)]
        assert found.disagreements == ()

    def test_one_image_has_no_interval(self):
        found = tr.compare({"1": WORDS["1"]}, {"a": {"1": []}, "b": {"1": WORDS["1"]}})
        assert [(one.value, one.low) for one in found.values] == [(0, None), (1, None)]

    def test_one_method_cannot_be_compared(self):
        with pytest.raises(ProtocolError, match="two methods or more"):
            tr.compare(WORDS, FOUND)
        with pytest.raises(ValueError, match="must be one of recall"):
            tr.compare(WORDS, HALVES, figure="hmean")


ABC, BAC = (("a",), ("b",), ("c",)), (("b",), ("a",), ("c",))
PEOPLE = {"recall": {"1": {"ann": ABC, "ben": ABC, "cid": BAC}}}
SCORES = {"1": {"iou": {"a": (0.9, 1), "b": (0.5, 1), "c": (0.1, 1)}}}


class TestRank:
    def test_pairs_give_the_ranking_they_imply(self):
        pairs = [
            {"image": "1", "annotator": "ann", "left": "a", "right": "b", "verdict": "left"},
            {"image": "1", "annotator": "ann", "left": "c", "right": "b", "verdict": "Right"},
            {"image": "1", "annotator": "ben", "left": "a", "right": "b", "verdict": "tie"},
            {"image": "2", "annotator": "ben", "left": "a", "right": "b", "verdict": "left"},
            {"image": "2", "annotator": "ben", "left": "a", "right": "c", "verdict": "left"},
            {"image": "3", "annotator": "ben", "left": "a", "right": "b", "verdict": "left"},
            {"image": "3", "annotator": "ben", "left": "b", "right": "a", "verdict": "left"},
        ]
        found = tr.rank(pairs)
        assert found.rankings["preference"]["1"] == {"ann": ABC}
        assert [(image, name) for image, name, _ in found.left_out] == [
            *(("1", "ben"), ("2", "ben"), ("3", "ben"))
        ]
        assert "contradict" in found.left_out[2][2]
        assert found.left_out[0][2] == "a ranking of 2 of 3 methods"

    def test_files_frames_and_rows_are_the_same(self, tmp_path):
        rows = [
            {"image": "1", "annotator": name, "criterion": "recall", "buckets": json.dumps(ranking)}
            for name, ranking in PEOPLE["recall"]["1"].items()
        ]
        lines = [
            f'1,{row["annotator"]},recall,"{row["buckets"].replace(chr(34), chr(34) * 2)}"'
            for row in rows
        ]
        path = tmp_path / "rankings.csv"
        path.write_text("\n".join(["# study: x", "image,annotator,criterion,buckets", *lines]))
        wanted = tr.rank(PEOPLE)
        for answers in (rows, Frame(rows), path, str(path)):
            assert tr.rank(answers).rankings == wanted.rankings
        assert wanted.consensus == {"recall": {"1": ABC}}
        assert wanted.strengths["recall"].ranking == ABC

    @cases(
        ("answers", "says"),
        [
            ([], "no answers"),
            ({}, "no answers"),
            ([{"a": 1}], "row 0 has the columns a; expected buckets"),
            ([{"left": "a", "right": "b", "verdict": "lift"}], "did you mean 'left'"),
            ([{"winner": "a", "loser": "a"}], "needs two methods"),
            ([{"buckets": "[", "image": 1, "annotator": 1, "criterion": "x"}], "row 0: buckets"),
            ([{"buckets": "[]", "image": 1}], "row 0"),
            ({"recall": [ABC]}, "expected rankings as criterion"),
            ("nowhere.csv", "nowhere.csv cannot be read"),
            (5, "got int"),
        ],
    )
    def test_wrong_answers_are_named(self, answers, says):
        with pytest.raises(RankingError, match=says):
            tr.rank(answers)


class TestReport:
    def test_it_is_the_report_of_the_library(self):
        found = tr.report(PEOPLE, SCORES, n_resamples=10)
        unnamed = {"recall": {"1": list(PEOPLE["recall"]["1"].values())}}
        [row] = build_report(unnamed, SCORES, Settings()).criteria["recall"].rows
        assert [(one["best"], one["score"]) for one in found.rows()] == [
            (row.numbers["best"], row.score)
        ]
        assert "iou" in found.to_latex()
        assert "iou" in found.to_csv()
        assert found.verdicts

    def test_its_files_name_protocols_that_order_all_images_alike(self):
        scores = {image: {**of, "copy": of["iou"]} for image, of in SCORES.items()}
        found = tr.report(PEOPLE, scores, n_resamples=10)
        for text in (found.to_latex(), found.to_markdown()):
            assert "copy = iou" in text or "iou = copy" in text
        assert "same_as" in found.to_csv()
        assert "same_as" not in tr.report(PEOPLE, SCORES, n_resamples=10).to_csv()

    def test_scores_of_files_frames_and_the_facade_are_taken(self, tmp_path):
        wanted = tr.report(PEOPLE, SCORES, n_resamples=10).rows()
        rows = [
            {"protocol": "iou", "method": method, "image": "1", "recall": r, "precision": p}
            for method, (r, p) in SCORES["1"]["iou"].items()
        ]
        path = tmp_path / "scores.csv"
        lines = [",".join(map(str, row.values())) for row in rows]
        path.write_text("\n".join([",".join(rows[0]), *lines]))
        for scores in (path, Frame(rows)):
            assert tr.report(PEOPLE, scores, n_resamples=10).rows() == wanted
        methods = {"a": WORDS, "b": {"1": WORDS["1"][:1], "2": []}, "c": {"1": []}}
        found = tr.report(PEOPLE, tr.score(WORDS, methods), n_resamples=10)
        assert found.rows()[0]["score"] == 0.0
        assert [path.name for path in found.save(tmp_path / "out")][:2]

    @cases(
        ("scores", "options", "says"),
        [
            ({"1": {"iou": {"A": (1, 1), "b": (1, 1), "c": (1, 1)}}}, {}, "'a'.*did you mean 'A'"),
            ({"01": SCORES["1"]}, {}, "none of '1'.*did you mean '01'"),
            (SCORES, {"beta": -1}, "beta must be"),
            (SCORES, {"min_people": 2}, "no setting 'min_people'; settings: decimals"),
            (5, {}, "got int"),
        ],
    )
    def test_wrong_scores_and_settings_are_named(self, scores, options, says):
        with pytest.raises(RankingError, match=says):
            tr.report(PEOPLE, scores, **options)


class TestShown:
    def results(self):
        yield tr.score(WORDS, FOUND)
        yield tr.compare(WORDS, HALVES, n_resamples=9)
        yield tr.rank(PEOPLE)
        yield tr.report(PEOPLE, SCORES, n_resamples=9)

    def test_each_is_text_html_frame_and_plot(self, monkeypatch, tmp_path):
        monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=list))
        for at, found in enumerate(self.results()):
            assert str(found).count("\n") > 2
            assert "<table>" in found._repr_html_()
            assert found.to_pandas() == found.rows() != []
            plot, path = found.plot(), tmp_path / f"{at}.json"
            plot.save(path)
            assert json.loads(path.read_text()) == plot.spec
            assert "application/vnd.vegalite.v5+json" in plot._repr_mimebundle_(include=None)
        plot.save(tmp_path / "a.svg")
        assert "<svg" in tmp_path.joinpath("a.svg").read_text()
        with pytest.raises(ValueError, match="must end in"):
            plot.save("a.doc")

    def test_names_with_markup_stay_text(self):
        found = tr.score(WORDS, {"<b>east": FOUND, "x": WORDS})
        assert "&lt;b&gt;east" in found._repr_html_()

    def test_a_missing_package_is_named(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "pandas", None)
        with pytest.raises(MissingPackage, match="pip install pandas"):
            tr.score(WORDS, FOUND).to_pandas()


def test_the_import_loads_neither_library_nor_numpy():
    look = (
        "import sys; before = set(sys.modules); import text_rankings as tr; "
        "print(*sorted(set(sys.modules) - before)); dir(tr); tr.score"
    )
    done = subprocess.run([sys.executable, "-c", look], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "text_rankings" in done.stdout
    assert not {"numpy", "protocols", "rankings", "django"} & set(done.stdout.split())


def test_a_wrong_name_is_an_attribute_error():
    assert {"score", "compare", "rank", "report"} <= set(dir(tr))
    with pytest.raises(AttributeError, match="no attribute 'scores'"):
        _ = tr.scores


def test_each_script_of_the_page_has_eight_lines_at_most():
    scripts = [
        block.text
        for block in blocks_of(Path(ROOT, "docs", "how-to", "in-python.md"))
        if block.language == "python"
    ]
    lines = [sum(bool(line.strip()) for line in script.splitlines()) for script in scripts]
    assert len(lines) == 5
    assert max(lines) <= 8


def test_arguments_are_never_changed():
    truth, results = json.loads(json.dumps(coco_of(WORDS)[0])), coco_of(FOUND)[1]
    kept = json.dumps([truth, results])
    with warnings.catch_warnings():
        tr.score(truth, results)
    assert json.dumps([truth, results]) == kept


@cases("size", [(0, 0), (-5, 5), (5, float("nan")), (float("inf"), 5)])
def test_sizes_that_no_image_has_are_refused(size):
    boxes = {"a": [[0, 0, 0.5, 0.5]]}
    with pytest.raises(ProtocolError, match="truth, image 'a' needs a width and a height above 0"):
        tr.score(boxes, boxes, sizes={"a": size})
