"""The numbers of two kept reports, side by side."""

from dataclasses import dataclass

from rankings.agreement.report import Report


@dataclass(frozen=True)
class Cell:
    """One number of two kept reports."""

    criterion: str
    protocol: str
    number: str
    before: float | None
    after: float | None


def compared(before: Report, after: Report) -> list[Cell]:
    """Return every cell of the tables of two reports; a number is None if its report has none."""

    def cells(report: Report) -> dict[tuple[str, str, str], float | None]:
        return {
            (criterion, row.protocol, number): getattr(row, number)
            for criterion, table in report.criteria.items()
            for row in (*table.rows, *table.baselines)
            for number in ("best", "worst", "score")
        }

    old, new = cells(before), cells(after)
    return [Cell(*key, old.get(key), new.get(key)) for key in dict.fromkeys([*old, *new])]
