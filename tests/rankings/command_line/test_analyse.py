"""``python -m rankings analyse`` reads two CSV files and says what a report says."""

import csv
import json
from random import Random

import pytest

from rankings.__main__ import main
from rankings.command_line.answer_files import read_rankings
from rankings.command_line.files import read_plain_scores

METHODS = "abcd"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Three annotators on eight images as CSV, and the same as the JSON of the command ``report``."""
    rng, folder = Random(7), tmp_path_factory.mktemp("files")
    rankings, scores = {}, {}
    with (folder / "rankings.csv").open("w", newline="") as file:
        write = csv.writer(file).writerow
        write(["image", "annotator", "criterion", "buckets", "in_reports"])
        for image in (f"i{at}" for at in range(8)):
            own = {}
            for name in ("x", "y", "z"):
                own[name] = [[method] for method in rng.sample(METHODS, 4)]
                write([image, name, "recall", json.dumps(own[name]), "true"])
            write([image, "left-out", "recall", json.dumps([list(METHODS)]), "false"])
            rankings[image] = list(own.values())
    with (folder / "scores.csv").open("w", newline="") as file:
        write = csv.writer(file).writerow
        write(["protocol", "method", "image", "recall", "precision"])
        for protocol in ("p", "q"):
            for method in METHODS:
                write([protocol, method, "*", 0.5, 0.5])
                for image in rankings:
                    recall = rng.random()
                    write([protocol, method, image, recall, ""])
                    of = scores.setdefault(image, {}).setdefault(protocol, {})
                    of[method] = {"recall": recall, "precision": None}
    content = {"annotator_rankings": {"recall": rankings}, "protocol_scores": scores}
    (folder / "study.json").write_text(json.dumps(content))
    return folder


def run(capsys, *arguments):
    code = main(list(map(str, arguments)))
    out, err = capsys.readouterr()
    return code, out, err


def test_the_json_is_that_of_a_report_of_the_same_data(made, capsys):
    files = made / "rankings.csv", made / "scores.csv"
    code, out, _ = run(capsys, "analyse", *files, "--json", "--resamples", "20")
    assert code == 0
    _, report, _ = run(capsys, "report", made / "study.json", "--bootstrap", "20")
    assert json.loads(out)["criteria"] == json.loads(report)["criteria"]
    ours, theirs = (json.loads(text)["analysis"]["recall"] for text in (out, report))
    for name in ("intervals", "comparisons", "against_person", "measures"):
        assert ours[name] == theirs[name]


def test_the_text_says_what_may_be_said_and_has_the_tables(made, capsys):
    files = made / "rankings.csv", made / "scores.csv"
    code, out, _ = run(capsys, "analyse", *files, "--resamples", "20")
    assert code == 0
    for text in ("By recall", "3 annotators and 8 images", "Every two protocols", "8 images, 24"):
        assert text in out


def test_what_cannot_be_read_is_named(made, capsys, tmp_path):
    rankings, scores = made / "rankings.csv", made / "scores.csv"
    bad = tmp_path / "bad.csv"
    bad.write_text("image,annotator\n")
    assert "has no column" in run(capsys, "analyse", bad, scores)[2]
    twice = tmp_path / "twice.csv"
    twice.write_text("protocol,method,image,recall,precision\np,a,i0,1,1\np,a,i0,1,1\n")
    assert "line 3: i0, p, a occurs twice" in run(capsys, "analyse", rankings, twice)[2]
    code, _, err = run(capsys, "analyse", rankings, scores, "--sentinel", "nobody")
    assert code == 2
    assert "no protocol nobody" in err


@pytest.mark.parametrize(
    ("column", "change", "says"),
    [("method", str.upper, "none of 'a' (did you mean 'A'?)"), ("image", "{}.x".format, "'i0'")],
)
def test_names_that_do_not_meet_end_with_2_and_the_nearest(
    made, capsys, tmp_path, column, change, says
):
    with (made / "scores.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    other = tmp_path / "scores.csv"
    with other.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows({**row, column: change(row[column])} for row in rows)
    code, out, err = run(capsys, "analyse", made / "rankings.csv", other)
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1


class TestPairsOfOtherTools:
    """Rankings that follow from pairs, as labelling tools and arenas export them."""

    # ann orders all three methods by two pairs and a third that follows; ben contradicts himself.
    ROWS = (
        ("ann", "a", "b", "left"),
        ("ann", "b", "c", "left"),
        ("ben", "a", "b", "left"),
        ("ben", "b", "c", "left"),
        ("ben", "a", "c", "right"),
    )

    def file(self, folder, columns="image,annotator,method_a,method_b,verdict"):
        lines = [columns, *(",".join(["i0", *row]) for row in self.ROWS)]
        path = folder / "pairs.csv"
        path.write_text("\n".join([*lines, ""]))
        return path

    def test_their_report_is_that_of_the_rankings_that_follow(self, made, tmp_path, capsys):
        ranked = tmp_path / "ranked.csv"
        ranked.write_text(
            'image,annotator,criterion,buckets\ni0,ann,preference,"[[""a""],[""b""],[""c""]]"\n'
        )
        scores = tmp_path / "scores.csv"
        scores.write_text(
            "protocol,method,image,recall,precision\n"
            + "".join(f"p,{method},i0,{at / 4},{at / 4}\n" for at, method in enumerate("cba"))
        )
        options = ["--json", "--resamples", "9", "--min-annotators", "1"]
        code, expected, _ = run(capsys, "analyse", ranked, scores, *options)
        assert code == 0
        code, found, told = run(capsys, "analyse", self.file(tmp_path), scores, *options)
        assert code == 0
        assert json.loads(found)["criteria"] == json.loads(expected)["criteria"]
        assert "i0, ben left out: " in told
        assert "contradict" in told

    def test_columns_may_be_those_of_an_arena(self, tmp_path):
        path = self.file(tmp_path, "image,annotator,model_a,model_b,winner")
        assert read_rankings(str(path), print) == {
            "preference": {"i0": {"ann": (("a",), ("b",), ("c",))}}
        }

    def test_neither_rankings_nor_pairs_is_refused(self, tmp_path, capsys):
        path = self.file(tmp_path, "image,annotator,first,second,verdict")
        code, _, told = run(capsys, "analyse", path, path)
        assert (code, told) == (2, f"{path} has no column criterion\n")


def with_columns(made, name, **columns):
    """The rankings with more columns: functions of a row."""
    with (made / "rankings.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    path = made / f"{name}.csv"
    with path.open("w", newline="") as file:
        written = csv.DictWriter(file, [*rows[0], *columns])
        written.writeheader()
        for row in rows:
            written.writerow(row | {column: of(row) for column, of in columns.items()})
    return path


def test_groups_and_scenes_are_what_the_test_counts(made, capsys):
    path = with_columns(
        made,
        "clusters",
        group=lambda row: "here" if row["annotator"] == "x" else "there",
        scene=lambda row: f"walk {int(row['image'][1:]) // 2}",
    )
    options = ("--resamples", "20")
    _, out, _ = run(capsys, "analyse", path, made / "scores.csv", "--json", *options)
    around = json.loads(out)["analysis"]["recall"]
    tested = around["comparisons"]
    assert (tested["n_annotators"], tested["n_images"], tested["n_rankings"]) == (2, 4, 8)
    assert (tested["n_groups"], tested["n_scenes"]) == (2, 4)
    assert around["against_person"]["n_annotators"] == 2
    _, out, _ = run(capsys, "analyse", path, made / "scores.csv", *options)
    said = " ".join(out.split())
    assert "the 2 groups of annotators and 4 scenes of images are treated" in said
    assert "Two groups hardly ever show" in said
    assert "Images of one scene count as one" in said


def test_who_has_no_group_is_one_alone(made, capsys):
    path = with_columns(made, "some", group=lambda row: "here" if row["annotator"] < "z" else "")
    code, out, _ = run(capsys, "analyse", path, made / "scores.csv", "--json", "--resamples", "20")
    assert code == 0
    assert json.loads(out)["analysis"]["recall"]["comparisons"]["n_annotators"] == 2


def test_an_annotator_of_two_groups_is_refused(made, capsys):
    path = with_columns(made, "twice", group=lambda row: row["image"])
    code, _, err = run(capsys, "analyse", path, made / "scores.csv")
    assert code == 2
    assert "x has group i1, and i0 before" in err


def test_files_of_a_german_spreadsheet_are_read(made, tmp_path):
    """With semicolons, decimal commas and a byte order mark, as Excel writes them there."""
    for name in ("rankings", "scores"):
        with (made / f"{name}.csv").open(newline="") as file:
            rows = [*csv.reader(file)]
        with (tmp_path / f"{name}.csv").open("w", newline="", encoding="utf-8-sig") as file:
            writer = csv.writer(file, delimiter=";")
            writer.writerows(
                [cell.replace(".", ",") if name == "scores" else cell for cell in row]
                for row in rows
            )
    assert read_rankings(str(tmp_path / "rankings.csv"), print) == read_rankings(
        str(made / "rankings.csv"), print
    )
    german, english = (read_plain_scores(str(of / "scores.csv")) for of in (tmp_path, made))
    assert german == english
    assert 0 < english["i0"]["p"]["a"][0] < 1
