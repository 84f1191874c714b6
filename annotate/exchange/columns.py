"""The data dictionary, columns.csv: every column of the raw data's tables and its meaning."""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from annotate.csv_tables import Column

Columns = tuple[Column, ...]


def _read() -> dict[str, Columns]:
    tables: dict[str, Columns] = {}
    with Path(__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            column = Column(row["column"], row["values"], row["meaning"])
            tables[row["table"]] = (*tables.get(row["table"], ()), column)
    return tables


COLUMNS: Final = _read()
# The tables of the raw data.
TABLES: Final[Mapping[str, Columns]] = {
    name: COLUMNS[name]
    for name in (
        *("events", "rankings", "exclusions", "notes", "questions"),
        *("judges", "judge_answers", "judge_rankings"),
    )
}
COLUMNS["dictionary"] = tuple(
    Column(name, "text", "") for name in ("table", "column", "values", "meaning")
)
