"""Changes of any file in the zip for a paper: verify.py names table, row and column of each."""

import csv
import io
import json
import random
import re
from functools import cache

import pytest

from rankings.agreement.report import Settings
from rankings.output.latex import Look
from tests.support.analyses import random_study
from tests.support.verified import kept, paper_of, program, said, written

NUMBER = re.compile(r"(?<![A-Za-z\d.])\d+(?:\.\d+)?(?![A-Za-z\d])")
# Texts whose numbers are not recomputed, and layout in LaTeX.
NOT_COMPARED = ("verify", "README.md", "paper.tex", "supplement.tex", "references.bib")
LAYOUT = re.compile(r"begin\{|setlength|cmidrule|label\{|\\usepackage|\\multicolumn")
INPUTS = ("csv/rankings.csv", "csv/scores.csv")
LOOKS = {
    "side": Look(),
    "stacked": Look("stacked", "column", True),
    "intervals": Look(intervals=True),
    "scores": Look(width="column", intervals=True),
}


@cache
def files_of(look="side"):
    rankings, scores = random_study(n_images=12)
    data = kept(rankings, scores, Settings(min_annotators=1), sentinels=["count"], n_resamples=50)
    return paper_of(data, LOOKS[look])


@pytest.mark.parametrize("look", LOOKS)
def test_tables_of_every_look_agree(tmp_path, capsys, look):
    assert "Everything agrees." in said(written(tmp_path, files_of(look).items()), capsys)


def test_each_table_is_recomputed_or_said_not_to_be(tmp_path, capsys):
    out = said(written(tmp_path, files_of().items()), capsys)
    tables = {name for name in files_of() if name.startswith("csv/")}
    verify = program()
    of_here = {f"csv/{slug}.csv" for slug in (*verify.INPUTS, *verify.TABLES, "criteria")}
    assert {*re.findall(r"not recomputed: (\S+\.csv) \(", out)} == tables - of_here
    assert "csv/values.csv" in tables - of_here


@pytest.fixture
def once(tmp_path, monkeypatch):
    """A folder of files whose inputs do not change: all is recomputed once for the same settings."""
    verify, known = program(), {}
    recomputed = verify.recomputed

    def again(context):
        told = {name: of for name, of in context.metadata.items() if name != "files"}
        if (key := json.dumps(told)) not in known:
            rows = list(recomputed(context))
            known[key] = rows, context.studies, context.alike, context.has_alike
        rows, context.studies, context.alike, context.has_alike = known[key]
        return rows

    monkeypatch.setattr(verify, "recomputed", again)
    return written(tmp_path, files_of().items())


def test_any_number_row_or_file_that_is_changed_is_named(once, capsys):
    all_named(once, capsys, 60)


def test_each_file_that_is_missing_is_named(once, capsys):
    for name, text in files_of().items():
        if not name.startswith(
            ("verify", "README", "paper", "supplement", "references", "metadata")
        ):
            (once / name).unlink()
            assert re.search(f"DIFFERS {name}: the file is missing", said(once, capsys))
            written(once, [(name, text)])


@pytest.mark.release
def test_five_hundred_mutants_are_named(once, capsys):
    all_named(once, capsys, 500)


def test_each_column_that_is_missing_is_named_with_the_list_brought_up_to_date(once, capsys):
    files, rng = files_of(), random.Random(4)
    for name in (name for name in files if name.startswith("csv/")):
        [head, *rows] = csv.reader(io.StringIO(files[name]))
        at = rng.randrange(len(head) - ("signature" in head))
        column = head[at]
        manifest = json.loads(files["metadata.json"])
        for row in (head, *rows):
            del row[at]
        manifest["files"][name]["columns"] = head
        left = written_csv(head, rows)
        out = said(written(once, [(name, left), ("metadata.json", json.dumps(manifest))]), capsys)
        table = name if name in INPUTS else name[4:-4]
        assert re.search(rf"DIFFERS .*{table}.*, {re.escape(column)}\b", out), (name, column, out)
        written(once, [(name, files[name]), ("metadata.json", files["metadata.json"])])


def test_a_row_that_is_there_twice_and_a_comment_that_is_missing_are_named(once, capsys):
    for name in INPUTS:
        rows = files_of()[name].splitlines(keepends=True)
        out = said(written(once, [(name, "".join([*rows, rows[-1]]))]), capsys)
        assert re.search(rf"DIFFERS {name}, .*: the row is there twice", out)
        written(once, [(name, files_of()[name])])
    for name in ("table.tex", "tables/taste.tex", "report.md"):
        text = re.sub("^[%-] decimals: 4\n", "", files_of()[name], flags=re.MULTILINE)
        assert f"DIFFERS {name}, decimals: is missing" in said(
            written(once, [(name, text)]), capsys
        )


def all_named(folder, capsys, n):
    files, rng = files_of(), random.Random(2)
    # Inputs have a test of their own.
    names = [name for name in files if name not in INPUTS and not name.startswith(NOT_COMPARED)]
    for at in range(n):
        name = names[at % len(names)]
        done = rng.random()
        if done < 0.1 and name != "metadata.json":
            (folder / name).unlink()
            start, words = name, "missing"
            manifest = json.loads(files["metadata.json"])
            manifest["files"].pop(name, None)
            written(folder, [("metadata.json", json.dumps(manifest))])
        else:
            change = changed_csv if name.endswith(".csv") else changed_text
            text, start, words = change(rng, name, files[name], done < 0.3)
            written(folder, [(name, text)])
        lines = [line for line in said(folder, capsys).splitlines() if "DIFFERS" in line]
        named = [line for line in lines if line.startswith(f"DIFFERS {start}") and words in line]
        assert named, (at, name, start, words, lines[:5])
        written(folder, [(name, files[name]), ("metadata.json", files["metadata.json"])])


def changed_csv(rng, name, text, without):
    """A text with a number changed or a row less, and what a line must begin with and say."""
    [head, *rows] = csv.reader(io.StringIO(text))
    slug = name[4:-4]
    keys, _ = program().TABLES.get(slug, (("Protocol",), None))
    n_keys = 2 if slug == "criteria" else 1 + len(keys)
    cells = [
        (at, column)
        for at, row in enumerate(rows)
        for column in range(n_keys, len(head))
        if re.fullmatch(r"-?\d[\d.e-]*", row[column])
    ]
    if without or not cells:
        at = rng.randrange(len(rows))
        key = rows.pop(at)[:n_keys]
        words = "missing" if slug in (*program().TABLES, "criteria") else ""
        start = name if words else f"tables/{slug}.tex"
        return written_csv(head, rows), f"{start}, {' / '.join(key)}" if words else start, words
    at, column = rng.choice(cells)
    key, old = rows[at][:n_keys], float(rows[at][column])
    rows[at][column] = repr(rng.choice([old + 1, old + 0.5, -old - 2, old * 1.5 + 1e-2]))
    if slug in (*program().TABLES, "criteria"):
        return written_csv(head, rows), f"{name}, {' / '.join(key)}, {head[column]}", "recomputed"
    # Compared with what LaTeX shows, in few decimals.
    rows[at][column] = repr(old + 1)
    return (
        written_csv(head, rows),
        f"tables/{slug}.tex, row {at + 1}, ",
        f"{head[column]}: recomputed",
    )


def written_csv(head, rows):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([head, *rows])
    return out.getvalue()


def changed_text(rng, name, text, without):
    """The same of a text: a number in it, or a row of a table."""
    lines = text.splitlines(keepends=True)
    is_row = r" & .*\\\\$" if name.endswith(".tex") else r"^\| (?!Protocol|---|Criterion|First)"
    rows = [at for at, line in enumerate(lines) if re.search(is_row, line.rstrip("\n"))]
    rows = [at for at in rows if not re.search("toprule|cmidrule", lines[at - 1])]
    if without and rows:
        del lines[rng.choice(rows)]
        return "".join(lines), name, ""
    places = [
        (at, found)
        for at, line in enumerate(lines)
        if not LAYOUT.search(line)
        for found in NUMBER.finditer(line)
    ]
    at, found = rng.choice(places)
    digits = found[0]
    last = str((int(digits[-1]) + rng.randrange(1, 10)) % 10)
    lines[at] = f"{lines[at][: found.end() - 1]}{last}{lines[at][found.end() :]}"
    # A changed setting changes what is recomputed.
    return (
        "".join(lines),
        "" if name == "metadata.json" else name.replace("methods.md", "methods.tex"),
        "",
    )


def test_a_changed_ranking_or_score_changes_what_is_recomputed(tmp_path, capsys):
    files, rng = files_of(), random.Random(3)
    for at in range(12):
        name = INPUTS[at % 2]
        [head, *rows] = csv.reader(io.StringIO(files[name]))
        row = rng.choice([row for row in rows if "], [" in row[3] or name != INPUTS[0]])
        if at % 2:
            row[3 + at % 4 // 2] = repr(rng.random())
        else:
            buckets = json.loads(row[3])
            row[3] = json.dumps([buckets[1], buckets[0], *buckets[2:]])
        out = said(written(tmp_path, (files | {name: written_csv(head, rows)}).items()), capsys)
        assert re.search(
            r"DIFFERS csv/(?!rankings|scores)\w+\.csv, .* / .*, .*: recomputed", out
        ), row
