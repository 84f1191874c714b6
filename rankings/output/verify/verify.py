# mypy: ignore-errors
"""Recompute the tables of a paper from the annotators' rankings and the protocols' scores.

    python verify.py

It needs numpy and scipy alone, and imports the other files verify_*.py. The formulas are written
again, from their sources (see methods.md), so that a mistake in the program that made the tables and
one here would have to agree. It recomputes, each stage from csv/rankings.csv, csv/scores.csv and the
settings in metadata.json: the consensus of each image; the rankings by the protocols and their
distances to it; Best, Worst and Score; components of variance, tests, intervals, clusters and letters;
the other tables; and programs that judge. Then it compares every table in LaTeX and Markdown with its
CSV. A file, row or column that is missing is a difference. What is not recomputed is listed.
"""

import json
import math
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import verify_files
import verify_judges
import verify_tables
from verify_study import MissingColumn, rows_of, studies

TOLERANCE = 1e-9
# The columns of report.csv, from the distances d of shape (images, protocols), of protocol ``at``.
MEASURES = {
    "best": lambda d, at: (d[:, at] == d.min(axis=1)).sum(),
    "worst": lambda d, at: (d[:, at] == d.max(axis=1)).sum(),
    "score": lambda d, at: math.fsum(d[:, at]) / len(d),
    # Columns that the paper does not have follow here.
}
# With the columns that name a row.
INPUTS = {
    "rankings": ("criterion", "image", "annotator"),
    "scores": ("image", "protocol", "method"),
}
# There if programs judged.
OF_PROGRAMS = ("judges", "judge_answers")
# In the order of the stages: the columns that name a row, and the function that recomputes the rows.
TABLES = {
    "consensus": (("Image",), verify_tables.consensus_rows),
    "distances": (("Image", "Protocol"), verify_tables.distance_rows),
    "report": (("kind", "protocol"), verify_tables.report_rows),
    "components": (("First", "Second"), verify_tables.component_rows),
    "intervals": (("Protocol",), verify_tables.interval_rows),
    "differences": (("First", "Second"), verify_tables.difference_rows),
    "silence": (("Protocol", "Compared with"), verify_tables.silence_rows),
    "person": (("Protocol",), verify_tables.person_rows),
    "sensitivity": (("Changed",), verify_tables.sensitivity_rows),
    "agreement": (("Measure",), verify_tables.agreement_rows),
    "ties": (("Of", "Name"), verify_tables.ties_rows),
    "annotators": (("Annotator",), verify_tables.annotator_rows),
    "measures": (("Protocol",), verify_tables.measure_rows),
    "rounding": (("Protocol",), verify_tables.rounding_rows),
    "programs": (("Program",), verify_judges.program_rows),
}
NOT_RECOMPUTED = {
    "verdicts": "sentences",
    "calibration": "a search for a threshold, cross-validated",
    "variance": "intervals by jackknife",
    "taste": "a search for an annotator's protocol",
    "values": "models of each image, resampled",
    "beta": "a search for a weight, cross-validated",
    "slices": "properties of the images, which are not in these files",
    "preferences": "differences of the detectors",
    "preferencepairs": "differences of the detectors",
    "strengths": "a model of all images",
    "standings": "official figures of the dataset, resampled",
    "wrongpairs": "official figures of the dataset, permuted",
    "losses": "visits of a few methods, which are not in these files",
    "lossdifferences": "visits of a few methods, which are not in these files",
}


class Context:
    """The folder, its settings, and what was found."""

    def __init__(self, folder):
        self.folder = folder
        self.metadata = json.loads((folder / "metadata.json").read_text(encoding="utf-8"))
        self.resamples, self.measures = self.metadata["resamples"], MEASURES
        self.differing, self.skipped, self.n = [], [], 0

    def differ(self, where, says):
        self.differing.append(where)
        print(f"DIFFERS {where}: {says}")

    def skip(self, what):
        self.skipped.append(what)

    def read(self, slug):
        """Return columns and rows of a CSV file, None if it is missing."""
        path = self.folder / "csv" / f"{slug}.csv"
        return rows_of(path) if path.exists() else None


def main(folder=None):
    """Compare everything, print what differs, and return 1 unless all agrees."""
    context = Context(Path(folder or Path(__file__).parent))
    try:
        compare_all(context)
    except MissingColumn as column:
        context.differ(column, "the column is missing, and nothing after it is compared")
    for what in dict.fromkeys(context.skipped):
        print(f"not recomputed: {what}")
    print(f"{context.n} numbers and texts recomputed or compared")
    print("Everything agrees." if not context.differing else f"{len(context.differing)} differ.")
    return int(bool(context.differing))


def compare_all(context):
    """Compare every file, if there are the inputs."""
    missing = [f"csv/{slug}.csv" for slug in INPUTS if context.read(slug) is None]
    for name in missing:
        context.differ(name, "the file is missing, and nothing is recomputed without it")
    if missing:
        return
    for slug, keys in INPUTS.items():
        rows = Counter(tuple(row[name] for name in keys) for row in context.read(slug)[1])
        for key in (key for key, n in rows.items() if n > 1):
            context.differ(place(slug, key), "the row is there twice")
    for slug, keys, rows in recomputed(context):
        compare(context, slug, keys, rows)
    steps = (*INPUTS, *OF_PROGRAMS, "consensus", "distances", "components")
    verify_files.compare_files(context, context.studies, steps)
    for path in sorted((context.folder / "csv").glob("*.csv")):
        if path.stem not in (*INPUTS, *OF_PROGRAMS, *TABLES, "criteria"):
            why = NOT_RECOMPUTED.get(path.stem, "no formula is here")
            context.skip(f"csv/{path.name} ({why}); only compared with LaTeX and Markdown")


def recomputed(context):
    """Yield each table's name, the columns that name its rows, and its rows."""
    told = context.metadata
    found = studies(context.folder / "csv", told["settings"], told["criteria"])
    context.studies = found
    around = {
        criterion: verify_tables.Around(study, told["sentinels"])
        for criterion, study in found.items()
    }
    context.alike = {criterion: one.compared.alike for criterion, one in around.items()}
    context.has_alike = any(context.alike.values())
    for slug, (keys, rows_in) in TABLES.items():
        # Tables other than that of the report have only criteria with images.
        some = {
            criterion: one
            for criterion, one in around.items()
            if one.study.images or slug in ("report", "programs")
        }
        rows = [
            ((criterion, *key), numbers)
            for criterion, one in some.items()
            for key, numbers in rows_in(one, context)
        ]
        yield slug, ("criterion" if slug == "report" else "Criterion", *keys), rows
    yield "criteria", ("First", "Second"), list(verify_tables.criteria_rows(around))


def compare(context, slug, keys, rows):
    """Compare a CSV file with the rows that it must have."""
    read = context.read(slug)
    if read is None:
        if rows:
            context.differ(f"csv/{slug}.csv", "the file is missing")
        return
    columns, given = read
    expected = dict(rows)
    of_key = {}
    for row in given:
        key = tuple(row.get(name) or "" for name in keys)
        if key in of_key or key not in expected:
            context.differ(place(slug, key), "no such row is recomputed, or it is there twice")
        of_key[key] = row
    for key, numbers in expected.items():
        if key not in of_key:
            told = ", ".join(f"{name} {shown(value)}" for name, value in (numbers or {}).items())
            context.differ(place(slug, key), f"the row is missing; recomputed {told}")
            continue
        for column, value in (numbers or {}).items():
            context.n += 1
            text = of_key[key].get(column)
            if not same(value, text):
                given_text = "is not there" if text is None else f"is {text!r}"
                where = f"{place(slug, key)}, {column}"
                context.differ(where, f"recomputed {shown(value)}, in the file it {given_text}")
    known = {*keys, *(column for numbers in expected.values() for column in numbers or ())}
    for column in columns:
        if expected and column not in known | verify_files.REPEATED:
            context.differ(
                f"csv/{slug}.csv, {column}",
                f"NOT RECOMPUTED, no formula is for the column {column!r}",
            )


def place(slug, key):
    """Name a row."""
    return f"csv/{slug}.csv, {' / '.join(key)}"


def shown(value):
    """Write a recomputed value."""
    return "nothing" if value is None else value if isinstance(value, str) else repr(float(value))


def same(value, text):
    """Whether the text of a cell is a recomputed value, to 1e-9."""
    if value is None or text in (None, ""):
        return value in (None, "") and text == ""
    if isinstance(value, str):
        return value == text
    try:
        given = float(text)
    except ValueError:
        return False
    return abs(value - given) <= TOLERANCE * max(1, abs(value))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
