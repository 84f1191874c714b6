"""Tables of programs that judge: how they compare with people, and what it is computed from."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from .table import Data, Row, Table, listed

_OF_ANSWERS: Final = (
    *("judge", "image", "left", "right", "repeat", "attempt", "outcome"),
    *("recall", "precision", "preference", "probability"),
)
_OF_JUDGES: Final = (
    *("judge", "answered_as", "prompt_sha256", "pairs", "orders", "repeats", "criteria"),
    *("margin", "first", "last"),
)
_NUMBERS: Final = (
    *("difference", "low", "high", "degrees_of_freedom", "of_people", "at_best", "at_worst"),
    *("n_missing", "contradictions", "first_place", "margin", "rho"),
)


def judge_tables(data: Data) -> list[Table]:
    """Return the table of programs; empty for a report without one, as kept ones are."""
    programs = data.get("programs")
    return [listed("programs", _compared(programs["table"]))] if programs else []


def _compared(table: Mapping[str, Any]) -> Iterator[Row]:
    for criterion, rows in table.items():
        for row in rows:
            omega = (row["omega"].get(epsilon) for epsilon in ("0.2", "0.15", "0.1"))
            yield criterion, row["judge"], *(row[name] for name in _NUMBERS), *omega


def judge_steps(data: Data) -> list[Table]:
    """Return the settings and the answers of the programs."""
    if not (programs := data.get("programs")):
        return []
    return [
        listed(
            "judges", (tuple(_text(row[name]) for name in _OF_JUDGES) for row in programs["judges"])
        ),
        listed(
            "judge_answers",
            (tuple(row[name] for name in _OF_ANSWERS) for row in programs["answers"]),
        ),
    ]


def _text(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
