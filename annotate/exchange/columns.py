"""The data dictionary, columns.csv: every column of the raw data's tables and its meaning."""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from annotate.csv_tables import Column

Columns = tuple[Column, ...]


def _read() -> Mapping[str, Columns]:
    tables: dict[str, Columns] = {}
    with Path(__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            column = Column(row["column"], row["values"], row["meaning"])
            tables[row["table"]] = (*tables.get(row["table"], ()), column)
    return tables


_ALL: Final = _read()
EVENT_COLUMNS: Final = _ALL["events"]
RANKING_COLUMNS: Final = _ALL["rankings"]
EXCLUSION_COLUMNS: Final = _ALL["exclusions"]
NOTE_COLUMNS: Final = _ALL["notes"]
QUESTION_COLUMNS: Final = _ALL["questions"]
JUDGE_COLUMNS: Final = _ALL["judges"]
JUDGE_ANSWER_COLUMNS: Final = _ALL["judge_answers"]
JUDGE_RANKING_COLUMNS: Final = _ALL["judge_rankings"]
CAUSE_COLUMNS: Final = _ALL["causes"]
COST_COLUMNS: Final = _ALL["costs"]
SCORE_COLUMNS: Final = _ALL["scores"]
SELECTION_COLUMNS: Final = _ALL["selections"]
# The tables of the raw data.
TABLES: Final[Mapping[str, Columns]] = {
    name: _ALL[name]
    for name in (
        *("events", "rankings", "exclusions", "notes", "questions"),
        *("judges", "judge_answers", "judge_rankings"),
    )
}
DICTIONARY_COLUMNS: Final = tuple(
    Column(name, "text", "") for name in ("table", "column", "values", "meaning")
)
