"""The methods text, and the references it cites."""

import re
from importlib.resources import files

import pytest

from rankings.agreement.report import Settings
from rankings.analysis.analysis import analyse
from rankings.output.methods_text import (
    Citation,
    as_latex,
    as_markdown,
    cited,
    entries,
    keys_of,
    methods_paragraph,
)
from tests.support.analyses import random_study
from tests.support.cases import cases

PACKAGES = ("rankings", "protocols")
HEADER = {
    "study": "Signs",
    "dataset": "ICDAR_2015",
    "date": "2026-11-22",
    "software": "text-detection-rankings 0.1.0",
    "methods": "a, b & c",
    "protocols": "IOU 1.0 (min_iou=0.5)",
    "annotators": "3",
    "complete rankings": "24",
    "images of the study": "8",
}
RUNS = [
    {
        "name": "IOU",
        "version": "1.0",
        "origin": "computed",
        "parameters": {"min_iou": 0.6, "weight": "regions"},
        "changed": {"min_iou": 0.6},
        "reference": "K15",
    },
    {"name": "ours", "version": "", "origin": "imported", "parameters": {}, "reference": ""},
]


def done_with(**settings):
    data = analyse(
        *random_study(), Settings(min_annotators=2, **settings), n_resamples=20
    ).to_json()
    return {"header": HEADER, "sentinels": [], "runs": RUNS, **data}


@pytest.fixture(scope="module")
def data():
    return done_with()


def as_text(data):
    paragraph = methods_paragraph(data)
    _, stands_for = cited(keys_of(paragraph), PACKAGES)
    return as_latex(paragraph, stands_for).replace(r"\allowbreak{}", "")


@cases("package", PACKAGES)
def test_every_reference_is_an_entry_with_its_title_and_year(package):
    text = files(package).joinpath("REFERENCES.md").read_text(encoding="utf-8")
    listed = re.findall(r"^- \*\*\[(\w+)\]\*\*(.*?)(?=^- |\Z)", text, re.MULTILINE | re.DOTALL)
    known = entries(package)
    assert set(known) == {key for key, _ in listed}
    for key, words in listed:
        plain = " ".join(words.split()).lower()
        title = re.search(r"title = \{(.*)\}", known[key])[1]
        assert re.sub(r"[{}]", "", title).lower() in plain, key
        for year in re.findall(r"year = \{(\d+)\}", known[key]):
            assert year in plain, key


def test_one_work_under_two_keys_is_cited_once():
    chosen, stands_for = cited(["PPSBN24", "P24", "DPTF18", "unheard"], PACKAGES)
    assert set(chosen) == {"PPSBN24", "DPTF18"}
    assert stands_for == {"PPSBN24": "PPSBN24", "P24": "PPSBN24", "DPTF18": "DPTF18"}


def test_it_says_study_settings_versions_and_counts(data):
    text = as_text(data)
    for words in (
        r"methods (a, b \& c) on images of ICDAR\_2015",
        "3 annotators gave 24 complete rankings on 8 images",
        "at least 2 annotators had ranked it: 8 images by recall, 8 images by precision and 8 images",
        r"by 2 evaluation protocols: IOU~\cite{K15} (version 1.0, min\_iou=0.6); ours (scores computed "
        "elsewhere); other parameters as usual",
        "rounded to 4 decimals",
        r"mean ranking edit distance~\cite{DPTF18}",
        "where what was merged is not split again: the number of pairs that both order, oppositely, plus "
        "c - (a + b) / 2, where",
        r"20 bootstrap resamples of the images~\cite{ET93}",
        "text-detection-rankings 0.1.0",
        "on 2026-11-22.",
    ):
        assert words in text, words
    assert text.startswith("\\begin{sloppypar}\n")
    assert ".." not in text
    assert "  " not in text


@cases(
    ("settings", "words"),
    [
        ({"distance": "kemeny"}, r"mean Kemeny distance~\cite{FKMSV06}"),
        ({"consensus": "kemeny"}, r"nearest to all of them~\cite{KS62,YE21}"),
        ({"decimals": None}, "unrounded"),
        ({"beta": 2.0}, "beta = 2"),
    ],
)
def test_it_says_what_was_set(settings, words):
    text = as_text(done_with(**settings))
    assert words in text
    assert ("is not split again" in text) == (settings.get("distance") != "kemeny")


def test_people_left_out_are_counted_and_not_named(data):
    left = {**HEADER, "annotators left out": "annotator-2 since 2026-01-01: fell asleep"}
    text = as_text({**data, "header": left})
    assert "The rankings of 1 further annotator were left out." in text
    assert "annotator-2" not in text
    assert "asleep" not in text


def test_it_names_the_rule_that_ended_the_study(data):
    assert "ended by a rule" not in as_text(data)
    header = HEADER | {"end of the study": "planned looks had decided every pair of protocols"}
    said = "by a rule that was chosen before it opened: planned looks had decided every pair"
    assert said in as_text({**data, "header": header})


def test_it_says_which_programs_answered_how_and_what_is_missing(data):
    row = {
        "judge": "Counter",
        "answered_as": [["vl-8b", "fp_1"], ["vl-8b", ""]],
        "prompt_sha256": "0123456789abcdef",
        "pairs": "all",
        "orders": "both",
        "repeats": 1,
        "margin": 0.05,
        "first": "2026-11-02T23:59:00+00:00",
        "last": "2026-11-04T00:01:00+00:00",
    }
    other = row | {"judge": "Rule", "answered_as": [], "orders": "one", "repeats": 3}
    counts = {"recall": [("Counter", 2, 60), ("Rule", 0, 60)], "precision": [("Counter", 5, 60)]}
    judges = {
        criterion: [{"judge": name, "n_missing": n, "n_pairs": of} for name, n, of in rows]
        for criterion, rows in counts.items()
    }
    programs = {"settings": [row, other | {"last": row["first"]}], "judges": judges}
    text = as_text({**data, "programs": programs})
    assert (
        r"Counter (model vl-8b fp\_1 and vl-8b, prompt with SHA-256 0123456789ab, pairs: all, in both "
        r"orders, 2026-11-02 to 2026-11-04, margin 5 of 100 pairs, verdicts missing: 2 of 60 by recall "
        r"and 5 of 60 by precision); Rule (a command, prompt"
    ) in text
    assert "in one order, 3 times each, 2026-11-02, margin" in text
    assert r"asked, else equal~\cite{ZCS23}" in text
    unfinished = {"settings": [], "judges": {"recall": []}}
    assert as_text({**data, "programs": unfinished}) == as_text(data)
    assert "Programs answered" not in as_text(data)


@pytest.mark.parametrize(
    ("n", "words"),
    [
        (0, ""),
        (1, "; all annotators were of one group"),
        (3, "of a group counted as one (3 groups)"),
    ],
)
def test_it_names_groups_that_counted_as_one(data, n, words):
    analysis = {
        name: {**own, "comparisons": {**own["comparisons"], "n_groups": n}}
        for name, own in data["analysis"].items()
    }
    text = as_text({**data, "analysis": analysis})
    assert words in text
    assert ("group" in text) == (n > 0)


def test_markdown_cites_as_pandoc_reads():
    paragraph = ("a_b ", Citation(("DPTF18", "unheard")), ", c.")
    assert as_markdown(paragraph, {"DPTF18": "DPTF18"}) == "a\\_b  [@DPTF18], c."


def test_it_counts_what_is_missing_because_pairs_were_skipped_and_why(data):
    header = HEADER | {
        "rankings lost to skips": "3 missing of 27",
        "visits lost to skips": "1 missing of 40",
        "skipped pairs by reason": "I cannot see it well enough (6); Another reason (1)",
        "of these visits, with other answers": "1",
        "pairs that look the same": "9",
        "begun and not finished": "2",
    }
    text = as_text({**data, "header": header})
    for words in (
        "Of 27 rankings that were ended, 3 are missing, because pairs were skipped.",
        "Of 40 visits that asked methods that were drawn, 1 is missing",
        "Reasons for skipping: I cannot see it well enough (6); Another reason (1).",
        "Visits of these with other answers: 1; they enter the losses",
        "equal by every criterion asked: 9.",
        "begun and not finished, and do not count: 2.",
    ):
        assert words in text, words
    assert "skip" not in as_text(data)
