"""Tables of programs that judge: how they compare with people, and what it is computed from."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..agreement.packed_tables import unpacked_text
from .table import Data, Row, Table, listed

OF_ANSWERS: Final = (
    *("judge", "image", "left", "right", "repeat", "attempt", "outcome"),
    *("recall", "precision", "preference", "probability", "margin"),
)
OF_JUDGES: Final = (
    *("judge", "answered_as", "prompt_sha256", "pairs", "orders", "repeats", "criteria"),
    *("margin", "first", "last"),
)
_NUMBERS: Final = (
    *("difference", "low", "high", "degrees_of_freedom", "of_people", "at_best", "at_worst"),
    *("n_missing", "contradictions", "first_place", "margin", "rho"),
)


def judge_tables(data: Data) -> list[Table]:
    """Return the table of programs; empty for a report without one."""
    programs = programs_of(data)
    return [listed("programs", _comparison_rows(programs["judges"]))] if programs else []


def programs_of(data: Data) -> Mapping[str, Any]:
    """Return the programs of a report; empty if none has a row."""
    programs: Mapping[str, Any] = data.get("programs") or {}
    return programs if any(programs.get("judges", {}).values()) else {}


def _comparison_rows(table: Mapping[str, Any]) -> Iterator[Row]:
    for criterion, rows in table.items():
        for row in rows:
            omega = (row["omega"].get(epsilon) for epsilon in ("0.2", "0.15", "0.1"))
            yield criterion, row["judge"], *(row[name] for name in _NUMBERS), *omega


def judge_steps(data: Data) -> list[Table]:
    """Return the settings and the answers of the programs."""
    if not (programs := programs_of(data)):
        return []
    settings = (tuple(_text(row[name]) for name in OF_JUDGES) for row in programs["settings"])
    answers = map(tuple, unpacked_text(programs["answers"])["rows"])
    return [listed("judges", settings), listed("judge_answers", answers)]


def _text(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
