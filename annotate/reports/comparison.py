"""The numbers of two kept reports, side by side."""

from dataclasses import dataclass

from rankings.agreement.main_table import MEASURES, Number
from rankings.agreement.report import Report


@dataclass(frozen=True)
class Cell:
    """One number of two kept reports."""

    criterion: str
    protocol: str
    # The heading of the column.
    number: str
    before: Number
    after: Number


def compared(before: Report, after: Report) -> list[Cell]:
    """Return every cell of the tables of two reports; a number is None if its report has none."""

    def cells(report: Report) -> dict[tuple[str, str, str], Number]:
        return {
            (criterion, row.protocol, measure.heading): row.numbers[measure.name]
            for criterion, table in report.criteria.items()
            for row in (*table.rows, *table.baselines)
            for measure in MEASURES
        }

    old, new = cells(before), cells(after)
    return [Cell(*key, old.get(key), new.get(key)) for key in dict.fromkeys([*old, *new])]
