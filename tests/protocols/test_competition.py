"""The stand-alone call reads, refuses and writes as the competition's scripts do.

Expected values follow from the published scripts (version 1.1): patterns of names and of lines,
matched from the start, and the use of their matches.
"""

import json
import zipfile
from typing import Any

import pytest

from protocols.command_line.main import main
from tests.support import commands

WORD = "0,0,99,0,99,39,0,39"
TRUTH = {"gt_img_1.txt": f"{WORD},one\n", "gt_img_2.txt": f"{WORD},two\n"}
BOX = "0,0,99,39"
BOX_TRUTH = {"gt_img_1.txt": f"{BOX},one\n", "gt_img_2.txt": f"{BOX},two\n"}


def archive(path, entries):
    with zipfile.ZipFile(path, "w") as made:
        for name, content in entries.items() if isinstance(entries, dict) else entries:
            made.writestr(name, content)
    return path


def evaluate(folder, truth, results, *options):
    """Return the figures, or the message of a refusal."""
    g, s = archive(folder / "gt.zip", truth), archive(folder / "submit.zip", results)
    done = commands.run_here(main, f"-g={g}", f"-s={s}", *options)
    assert done.returncode == 0, done.stderr
    if done.stdout.startswith("Calculated!"):
        return json.loads(done.stdout.removeprefix("Calculated!"))
    assert done.stderr.startswith("Error!\n")
    return done.stderr


# One of two words is found, or the submission is refused with this in its message.
FOUND = 0.5
NOT_VALID, NO_LINE, NOT_IN_TRUTH = "ZIP entry not valid", "Format incorrect", "not present in GT"
NAMES = {
    "as it should be": ("res_img_1.txt", FOUND),
    "in a folder": ("submit/res_img_1.txt", NOT_VALID),
    "clutter of a Mac": ("__MACOSX/._res_img_1.txt", NOT_VALID),
    "a hidden file": (".DS_Store", NOT_VALID),
    "upper case": ("RES_IMG_1.TXT", NOT_VALID),
    "without its prefix": ("img_1.txt", NOT_VALID),
    "of ground truth": ("gt_img_1.txt", NOT_VALID),
    "csv": ("res_img_1.csv", NOT_VALID),
    "no number": ("res_img_one.txt", NOT_VALID),
    "more behind the ending": ("res_img_1.txt.bak", FOUND),
    "any character for the dot": ("res_img_1-txt", FOUND),
    "a zero in front": ("res_img_01.txt", NOT_IN_TRUTH),
    "an image that is not there": ("res_img_3.txt", NOT_IN_TRUTH),
}
LINES = {
    "blanks around numbers": (" 0 , 0, 99,0 ,99,39,0,39 ", FOUND),
    "tabs around numbers": ("0,\t0,99,0,99,39,0,\t39", FOUND),
    "blanks that are not ASCII": ("0,\u00a00,99,0,99,39,0,39\u3000", FOUND),
    "tabs for commas": (WORD.replace(",", "\t"), NO_LINE),
    "blanks for commas": (WORD.replace(",", " "), NO_LINE),
    "semicolons for commas": (WORD.replace(",", ";"), NO_LINE),
    "a line of blanks": (f"{WORD}\n   \n", NO_LINE),
    "a line of a tab": (f"{WORD}\n\t\n", NO_LINE),
    "empty lines": (f"\n\n{WORD}\n\n", FOUND),
    "CRLF": (f"{WORD}\r\n", FOUND),
    "CR inside a line": ("0,0,99,0,\r99,39,0,39\n", FOUND),
    "CR for the end of lines": (f"{WORD}\r{WORD}\r", NO_LINE),
    "a byte order mark": ("\ufeff" + WORD, FOUND),
    "two byte order marks": ("\ufeff\ufeff" + WORD, NO_LINE),
    "UTF-16": (WORD.encode("utf-16"), NO_LINE),
    "a decimal point": (WORD.replace("99", "99.0"), NO_LINE),
    "a plus": ("+" + WORD, NO_LINE),
    "digits of another script": (WORD.replace("99", "\u0669\u0669"), NO_LINE),
    "a comma at the end": (f"{WORD},", NO_LINE),
    "a text": (f"{WORD},one", NO_LINE),
    "a confidence": (f"{WORD},0.9", NO_LINE),
    "a number too few": (WORD.removesuffix(",39"), NO_LINE),
    "two points more": (f"{WORD},0,20", NO_LINE),
    "a box": (BOX, NO_LINE),
    "counter-clockwise": ("0,39,99,39,99,0,0,0", "not clockwise"),
    "words": ("no text was found", NO_LINE),
    "nothing": ("", 0.0),
}


@pytest.mark.parametrize("case", NAMES)
def test_names_of_entries(case, tmp_path):
    name, expected = NAMES[case]
    found = evaluate(tmp_path, TRUTH, {name: WORD})
    assert_as_expected(found, expected)


@pytest.mark.parametrize("case", LINES)
def test_lines_of_results(case, tmp_path):
    content, expected = LINES[case]
    assert_as_expected(evaluate(tmp_path, TRUTH, {"res_img_1.txt": content}), expected)


def assert_as_expected(found, expected):
    if isinstance(expected, str):
        assert expected in found
    else:
        assert found["recall"] == expected


BOX_LINES = {
    "a comma at the end": (f"{BOX},", FOUND),
    "a negative left and top": ("-0,-0,99,39", FOUND),
    "a negative right": ("-9,0,-1,39", NO_LINE),
    "a negative right of nought": ("-9,0,-0,39", NO_LINE),
    "right before left": ("99,0,0,39", "right < left"),
    "a box without width": ("0,0,0,39", 0.0),
    "corners": (WORD, NO_LINE),
}


@pytest.mark.parametrize("choice", ["IoU", "DetEva", "icdar13"])
@pytest.mark.parametrize("case", BOX_LINES)
def test_lines_of_boxes(case, choice, tmp_path):
    content, expected = BOX_LINES[case]
    options = ["-c", choice, "-p", '{"LTRB": true}']
    results = {"res_img_1.txt": content}
    assert_as_expected(evaluate(tmp_path, BOX_TRUTH, results, *options), expected)


@pytest.mark.parametrize(
    ("confidence", "expected"),
    [
        ("0.87", FOUND),
        ("1", FOUND),
        ("1.99", FOUND),
        # Any character may stand behind the first digit, so that these are 5, 15 and 100000.
        ("05", FOUND),
        ("15", FOUND),
        ("1e5", FOUND),
        ("0x5", "must be a float"),
        ("2", NO_LINE),
        (".5", NO_LINE),
        ("-0.5", NO_LINE),
        ("0.5e-3", NO_LINE),
        ("", NO_LINE),
    ],
)
def test_confidences(confidence, expected, tmp_path):
    results = {"res_img_1.txt": f"{WORD},{confidence}"}
    found = evaluate(tmp_path, TRUTH, results, "-p", '{"CONFIDENCES": true}')
    assert_as_expected(found, expected)


def test_a_folder_of_its_own_in_the_zip_is_an_entry_too(tmp_path):
    entries = [("submit/", ""), ("res_img_1.txt", WORD)]
    assert NOT_VALID in evaluate(tmp_path, TRUTH, entries)
    # In ground truth it is passed over.
    found = evaluate(tmp_path, [("gt/", ""), *TRUTH.items()], {"res_img_1.txt": WORD})
    assert found["recall"] == FOUND


def test_of_two_entries_of_an_image_the_last_counts(tmp_path):
    first = [("res_img_1.txt", WORD), ("res_img_1.txt.bak", "")]
    assert evaluate(tmp_path, TRUTH, first)["recall"] == 0
    assert evaluate(tmp_path, TRUTH, first[::-1])["recall"] == FOUND


def test_lines_are_cut_at_crlf_alone_where_that_is_said(tmp_path):
    two = f"{WORD}\n{WORD}"
    crlf = ["-p", '{"CRLF": true}']
    truth = {name: text.replace("\n", "\r\n") for name, text in TRUTH.items()}
    assert NO_LINE in evaluate(tmp_path, truth, {"res_img_1.txt": two}, *crlf)
    lines = {"res_img_1.txt": two.replace("\n", "\r\n")}
    assert evaluate(tmp_path, truth, lines, *crlf)["recall"] == FOUND


@pytest.mark.parametrize("content", [b"", b"no zip", None])
def test_what_is_no_zip_is_refused(content, tmp_path):
    truth = archive(tmp_path / "gt.zip", TRUTH)
    results = tmp_path / "s.zip"
    if content is not None:
        results.write_bytes(content)
    done = commands.run_here(main, f"-g={truth}", f"-s={results}")
    assert done.returncode == 0
    assert "Error loading the ZIP archive" in done.stderr


def test_ground_truth_of_a_wrong_line_refuses_everything(tmp_path):
    truth = {**TRUTH, "gt_img_3.txt": WORD}
    assert NO_LINE in evaluate(tmp_path, truth, {"res_img_1.txt": WORD})


@pytest.mark.parametrize(
    ("text", "n_letters"),
    [
        ("abc", 3),
        (" abc", 4),
        ('"abc"', 3),
        (' "abc" ', 3),
        (r'"a\"c"', 3),
        # Double backslashes first, then what escapes a quote.
        (r'"a\\"c"', 3),
        ('"', 1),
        ("a,b", 3),
    ],
)
def test_letters_of_a_transcription(text, n_letters, tmp_path):
    """CLEval counts them: a detection on the first half holds the letters left of the middle."""
    truth = {"gt_img_1.txt": f"{WORD},{text}"}
    found = evaluate(
        tmp_path, truth, {"res_img_1.txt": "0,0,50,0,50,39,0,39"}, "-c", "CLEval", "--format=quad"
    )
    held = sum((at + 0.5) * 99 / n_letters < 50 for at in range(n_letters))
    assert found["recall"] == pytest.approx(held / n_letters)


@pytest.mark.parametrize(
    ("choice", "results", "written"),
    [
        ("IoU", WORD, '{"precision": 1.0, "recall": 0.5, "hmean": 0.6666666666666666, "AP": 0}'),
        ("IoU", "", '{"precision": 0, "recall": 0.0, "hmean": 0, "AP": 0}'),
        ("IoU", "0,50,9,50,9,60,0,60", '{"precision": 0.0, "recall": 0.0, "hmean": 0, "AP": 0}'),
        (
            "TedEval",
            WORD,
            '{"recall": 0.5, "precision": 1.0, "hmean": 0.6666666666666666, "AP": 0}',
        ),
        ("DetEva", BOX, '{"precision": 1.0, "recall": 0.5, "hmean": 0.6666666666666666}'),
        ("icdar13", "", '{"precision": 0, "recall": 0.0, "hmean": 0}'),
    ],
)
def test_what_is_printed_is_that_of_the_script_byte_by_byte(choice, results, written, tmp_path):
    """Its keys in the order in which the script sets them, 0 where it does not divide, no line feed."""
    truth = BOX_TRUTH if choice in ("DetEva", "icdar13") else TRUTH
    g = archive(tmp_path / "gt.zip", truth)
    s = archive(tmp_path / "s.zip", {"res_img_1.txt": results})
    done = commands.run_here(main, f"-g={g}", f"-s={s}", f"-c={choice}")
    assert done.stdout == f"Calculated!{written}"


def test_sums_are_rounded_one_after_the_other_as_by_the_script(tmp_path):
    g = archive(tmp_path / "gt.zip", {f"gt_img_{at}.txt": f"{BOX},word\n" for at in range(10)})
    s = archive(tmp_path / "s.zip", {f"res_img_{at}.txt": f"{BOX}\n" for at in range(10)})
    done = commands.run_here(main, f"-g={g}", f"-s={s}", "-c=DetEva", '-p={"MTYPE_OO_O": 0.1}')
    # Ten times 0.1; the nearest number to their sum is 1.
    assert '"recall": 0.09999999999999999' in done.stdout


@pytest.mark.parametrize("choice", ["IoU", "TIoU"])
def test_the_log_of_an_image_is_the_published_one_where_it_is_asked_for(choice, tmp_path):
    ignored = "200,0,299,0,299,39,200,39"
    truth = {"gt_img_1.txt": f"{WORD},one\n{ignored},###\n", "gt_img_2.txt": f"{WORD},two\n"}
    results = {"res_img_1.txt": f"{ignored}\n{WORD}\n"}
    evaluate(tmp_path, truth, results, f"-c={choice}", f"-o={tmp_path}", "--log=published")
    with zipfile.ZipFile(tmp_path / "results.zip") as made:
        logs = [json.loads(made.read(f"{n}.json"))["evaluationLog"] for n in (1, 2)]
    first = (
        "GT polygons: 2 (1 don't care)\nDET polygons: 2 (1 don't care)\nMatch GT #0 with Det #1\n"
    )
    # Without a file of results its line is not written.
    assert logs == [first, "GT polygons: 1\n"]


@pytest.mark.parametrize(
    ("options", "says"),
    [(["--log=all"], "logs: reasons, published"), (["--log=published", "-c=DetEva"], "iou, tiou")],
)
def test_a_log_that_is_not_written_is_refused(options, says, tmp_path):
    done = commands.run_here(main, "-g=a.zip", "-s=b.zip", *options)
    assert done.returncode == 2
    assert says in done.stderr


def test_tables_are_those_of_every_pair(tmp_path):
    """By hand: half of each of two words of 100 columns is under one box of 100."""
    words = "0,0,100,0,100,40,0,40,a\n100,0,200,0,200,40,100,40,b\n"
    found = "50,0,150,0,150,40,50,40\n500,0,510,0,510,9,500,9\n"
    evaluate(tmp_path, {"gt_img_1.txt": words}, {"res_img_1.txt": found}, f"-o={tmp_path}")
    with zipfile.ZipFile(tmp_path / "results.zip") as made:
        table = json.loads(made.read("1.json"))["iouMat"]
    assert table == [[pytest.approx(50 / 150), 0.0], [pytest.approx(50 / 150), 0.0]]


def test_tables_of_more_than_a_hundred_detections_are_left_out(tmp_path):
    many = {"res_img_1.txt": f"{WORD}\n" * 101, "res_img_2.txt": f"{WORD}\n" * 100}
    evaluate(tmp_path, TRUTH, many, f"-o={tmp_path}")
    with zipfile.ZipFile(tmp_path / "results.zip") as made:
        tables = [json.loads(made.read(f"{n}.json"))["iouMat"] for n in (1, 2)]
    assert tables == [[], [[1.0] * 100]]


BROKEN = {
    "QUAD": f"{WORD},one\n5,5,###\n{WORD.replace('39', '9', 1)},###\n",
    # As in CLEval's copy of Total-Text: a point where a polygon should be.
    "POLY": "0,0,50,5,99,0,99,39,50,44,0,39,one\n5,5,###\n",
}


@pytest.mark.parametrize("box_type", BROKEN)
def test_broken_lines_of_ignored_text_are_left_out_where_that_is_asked_for(box_type, tmp_path):
    truth = {"gt_img_1.txt": BROKEN[box_type]}
    word = BROKEN[box_type].partition(",one")[0]
    options = ["-c=CLEval", f'-p={{"BOX_TYPE": "{box_type}"}}']
    assert "line 2" in evaluate(tmp_path, truth, {"res_img_1.txt": word}, *options)
    options.append("--drop-broken-ignored")
    assert evaluate(tmp_path, truth, {"res_img_1.txt": word}, *options)["hmean"] == 1
    paths = f"-g={tmp_path / 'gt.zip'}", f"-s={tmp_path / 'submit.zip'}"
    done = commands.run_here(main, *paths, *options)
    assert done.stderr.endswith("1 broken line of ignored text left out\n")
    # A word that is broken stays a fault.
    wrong = {"gt_img_1.txt": BROKEN[box_type].replace("5,5,###", "5,5,two")}
    assert "line 2" in evaluate(tmp_path, wrong, {"res_img_1.txt": word}, *options)


def test_patterns_of_names_are_parameters(tmp_path):
    names = '{"GT_SAMPLE_NAME_2_ID": "([0-9]+).gt", "DET_SAMPLE_NAME_2_ID": "([0-9]+).det"}'
    found = evaluate(tmp_path, {"7.gt": f"{WORD},one"}, {"7.det": WORD}, "-p", names)
    assert found["recall"] == 1


def test_what_a_script_does_not_know_is_left_out_with_a_word(tmp_path, capsys):
    g = archive(tmp_path / "gt.zip", TRUTH)
    s = archive(tmp_path / "s.zip", {"res_img_1.txt": WORD})
    parameters = '{"ANYTHING": 1, "PER_SAMPLE_RESULTS": false}'
    done = commands.run_here(main, f"-g={g}", f"-s={s}", f"-o={tmp_path}", f"-p={parameters}")
    assert done.stderr == "-p: iou has no parameter ANYTHING; it is left out\n"
    with zipfile.ZipFile(tmp_path / "results.zip") as made:
        assert made.namelist() == ["method.json"]


def test_tedeval_reads_truth_and_results_each_in_its_form(tmp_path):
    found = evaluate(
        tmp_path,
        BOX_TRUTH,
        {"res_img_1.txt": WORD},
        "-c=TedEval",
        '-p={"GT_LTRB": true, "DET_LTRB": false}',
    )
    assert found == {"recall": 0.5, "precision": 1.0, "hmean": pytest.approx(2 / 3), "AP": 0.0}


BENT = "0,20,50,0,100,20,100,60,50,40,0,60"


@pytest.mark.parametrize("choice", ["TIoU", "CLEval", "deteval-total-text"])
def test_polygons_are_read_where_the_published_programs_read_them(choice, tmp_path):
    found = evaluate(tmp_path, {"1001.txt": f"{BENT},one\n"}, {"1001.txt": BENT}, f"-c={choice}")
    assert found["hmean"] == 1


def test_box_type_is_a_parameter_of_cleval(tmp_path):
    """An upright false positive is one character as a polygon, three as a quadrilateral: its sides
    are 50 and 100, and round(0.5 + 2) is 2.
    """
    truth, tall = {"1.txt": f"{WORD},four"}, f"{WORD}\n200,0,250,0,250,100,200,100"
    for box_type, n_false in (("POLY", 1), ("QUAD", 2)):
        options = ["-c=CLEval", f'-p={{"BOX_TYPE": "{box_type}"}}']
        # On its edges no character of the word is lost: four are held.
        found = evaluate(tmp_path, truth, {"1.txt": tall}, *options)
        assert found["precision"] == pytest.approx(4 / (4 + n_false))


# The keys of the published JSON of an image, and what each holds.
_NUMBER, _LIST, _INDEX = (int, float), list, int
COMMON = {
    "precision": _NUMBER,
    "recall": _NUMBER,
    "hmean": _NUMBER,
    "pairs": _LIST,
    "gtPolPoints": _LIST,
    "detPolPoints": _LIST,
    "gtDontCare": _LIST,
    "detDontCare": _LIST,
    "evaluationParams": dict,
    "evaluationLog": str,
}
SCHEMAS: dict[str, dict[str, Any]] = {
    "IoU": {**COMMON, "AP": _NUMBER, "iouMat": _LIST},
    "DetEva": {**COMMON, "recallMat": _LIST, "precisionMat": _LIST},
    "icdar13": {**COMMON, "recallMat": _LIST, "precisionMat": _LIST},
    "TedEval": {**COMMON, "AP": _NUMBER},
}
PARAMETERS = {
    "IoU": {
        "IOU_CONSTRAINT": 0.5,
        "AREA_PRECISION_CONSTRAINT": 0.5,
        "GT_SAMPLE_NAME_2_ID": "gt_img_([0-9]+).txt",
        "DET_SAMPLE_NAME_2_ID": "res_img_([0-9]+).txt",
        "LTRB": True,
        "CRLF": False,
        "CONFIDENCES": False,
        "PER_SAMPLE_RESULTS": True,
    },
    "DetEva": {
        "AREA_RECALL_CONSTRAINT": 0.8,
        "AREA_PRECISION_CONSTRAINT": 0.4,
        "EV_PARAM_IND_CENTER_DIFF_THR": 1,
        "MTYPE_OO_O": 1.0,
        "MTYPE_OM_O": 0.8,
        "MTYPE_OM_M": 1.0,
        "GT_SAMPLE_NAME_2_ID": "gt_img_([0-9]+).txt",
        "DET_SAMPLE_NAME_2_ID": "res_img_([0-9]+).txt",
        "CRLF": False,
        "LTRB": True,
    },
}
PARAMETERS["icdar13"] = PARAMETERS["DetEva"]


@pytest.mark.parametrize("choice", SCHEMAS)
def test_the_json_of_an_image_has_the_published_keys(choice, tmp_path):
    truth = {"gt_img_1.txt": f"{BOX},one\n200,0,299,39,###\n"}
    results = {"res_img_1.txt": f"{BOX}\n200,0,299,39\n"}
    parameters = '-p={"LTRB": true}'
    evaluate(tmp_path, truth, results, f"-c={choice}", parameters, f"-o={tmp_path}")
    with zipfile.ZipFile(tmp_path / "results.zip") as made:
        assert made.namelist() == ["method.json", "1.json"]
        sample = json.loads(made.read("1.json"))
    assert dict.fromkeys(sample, True) == dict.fromkeys(SCHEMAS[choice], True)
    for key, kind in SCHEMAS[choice].items():
        assert isinstance(sample[key], kind), key
    assert sample["gtPolPoints"] == [[0, 0, 99, 39], [200, 0, 299, 39]]
    assert sample["detPolPoints"] == sample["gtPolPoints"]
    assert (sample["gtDontCare"], sample["detDontCare"]) == ([1], [1])
    assert sample["evaluationParams"] == PARAMETERS.get(choice, sample["evaluationParams"])
    pair = {"IoU": {"gt": 0, "det": 0}, "TedEval": {"gt": [0], "det": [0], "type": "OO"}}
    assert sample["pairs"] == [pair.get(choice, {"gt": 0, "det": 0, "type": "OO"})]


def test_a_split_of_one_part_has_its_detection_in_a_list(tmp_path):
    """Two detections overlap the word; only the first is on it well enough, and covers it alone."""
    truth = {"gt_img_1.txt": f"{BOX},one\n"}
    results = {"res_img_1.txt": "0,0,89,39\n90,30,500,400\n"}
    evaluate(tmp_path, truth, results, "-c=DetEva", f"-o={tmp_path}")
    with zipfile.ZipFile(tmp_path / "results.zip") as made:
        sample = json.loads(made.read("1.json"))
    assert sample["pairs"] == [{"gt": 0, "det": [0], "type": "OO"}]


def test_without_counted_truth_the_average_precision_of_an_image_is_its_precision(tmp_path):
    truth = {"gt_img_1.txt": f"{WORD},###\n", "gt_img_2.txt": f"{WORD},two\n"}
    evaluate(tmp_path, truth, {}, f"-o={tmp_path}")
    with zipfile.ZipFile(tmp_path / "results.zip") as made:
        first, second = (json.loads(made.read(f"{n}.json")) for n in (1, 2))
    assert (first["AP"], second["AP"]) == (1, 0)


def test_with_confidences_detections_are_numbered_from_the_surest(tmp_path):
    results = {"res_img_1.txt": f"500,0,599,0,599,39,500,39,0.3\n{WORD},0.9\n"}
    evaluate(tmp_path, TRUTH, results, '-p={"CONFIDENCES": true}', f"-o={tmp_path}")
    with zipfile.ZipFile(tmp_path / "results.zip") as made:
        sample = json.loads(made.read("1.json"))
    assert sample["pairs"] == [{"gt": 0, "det": 0}]
    assert sample["detPolPoints"][0] == [0, 0, 99, 0, 99, 39, 0, 39]


def test_the_method_of_a_refused_submission_is_the_published_text(tmp_path):
    evaluate(tmp_path, TRUTH, {"a.txt": ""}, f"-o={tmp_path}")
    with zipfile.ZipFile(tmp_path / "results.zip") as made:
        method = json.loads(made.read("method.json"))
    assert method == {"calculated": False, "Message": "ZIP entry not valid: a.txt", "method": "{}"}
