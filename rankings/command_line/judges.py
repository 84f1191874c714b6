"""The command ``judges``: programs and people, from two files."""

import argparse
import sys
from collections.abc import Mapping
from functools import partial
from typing import Any

from .analyse import add_codes


def add_judges(commands: Any) -> None:
    """Add the command ``judges``."""
    text = (
        "whether programs that judge pairs may stand in for a person. RANKINGS.csv is as for analyse, "
        "with columns group and scene if there are any. ANSWERS.csv has the columns judge, image, left, "
        "right, repeat, attempt, outcome, and recall, precision and preference with left, equal or right, "
        "as judge_answers.csv of the raw data, whose probability and margin count as well."
    )
    parser = commands.add_parser("judges", help=text.partition(". ")[0], description=text)
    parser.add_argument("file", metavar="RANKINGS.csv")
    parser.add_argument("answers", metavar="ANSWERS.csv")
    parser.add_argument("--json", action="store_true", help="JSON instead of sentences")
    parser.add_argument(
        "--margin",
        type=float,
        help="of the pairs, from 0.01 to 0.1 (that of the file, or 0.05); another counts as chosen after the "
        "answers",
    )
    parser.add_argument("--tuned", action="store_true", help="judges were tuned on these images")
    add_codes(parser)
    parser.set_defaults(run=_judges, read=str)


def _judges(path: str, options: argparse.Namespace) -> dict[str, Any] | str:
    from ..analysis.judges import COLUMNS, analyse_judges, rows_by_judge
    from ..inference.clusters import Declared
    from .answer_files import read_declared, read_rankings
    from .files import rows_of

    people = read_rankings(path, partial(print, file=sys.stderr), codes=options.codes)
    rows = rows_of(options.answers, COLUMNS)
    place = f"{options.answers}, row"
    judges = rows_by_judge(rows, place, margin=options.margin, tuned=options.tuned)
    declared = Declared() if path == "-" else read_declared(path)
    found = analyse_judges(people, judges, declared=declared)
    return found if options.json else _as_text(found)


def _as_text(found: Mapping[str, Any]) -> str:
    lines = []
    for criterion, rows in found.items():
        for row in rows:
            lines.append(f"{criterion}, {row['judge']}: {row['sentence']}")
            share = row["contradictions"]
            said = "" if share is None else f", {100 * share:.0f} % contradict themselves"
            lines.append(f"  {row['n_pairs']} pairs, {row['n_missing']} without a verdict{said}")
    return "\n".join(lines) + "\n" if lines else "There is no answer by a judge.\n"
