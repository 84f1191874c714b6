"""Files of people's answers: rankings, pairs, and exports of other tools."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..elicitation.answers import answers_of_rows
from ..elicitation.pairs import Codes, LeftOut, Nested, are_pairs
from ..errors import RankingError
from ..inference.clusters import Declared
from .files import columns_and_rows, require, rows_of
from .preflib import NAMELESS, is_preflib
from .tools import counted, read_records

_RANKING_COLUMNS: Final = ("image", "criterion", "buckets")


@dataclass(frozen=True, slots=True)
class AnswerFile:
    """Numbered rows of answers, the answers of a tool's export that give none, and notes.

    ``unit`` is what the numbers count: lines, rows or answers.
    """

    rows: list[tuple[int, dict[str, Any]]]
    unit: str
    left_out: list[LeftOut]
    notes: list[str]


def read_rankings(
    path: str, tell: Callable[[str], object], *, codes: Codes | None = None, whole: bool = True
) -> Nested:
    """Return the rankings of a file: criterion -> image -> annotator -> ranking.

    Rankings and pairs are as in :func:`.answers.answers_of_rows`, with ``codes`` of verdicts. Only
    the rankings of all methods of their image are returned, or all if not ``whole``. ``tell`` is
    called with a sentence for all that is left out. Raises RankingError if the file cannot be
    read, or a row is not an answer; the message names file and row.
    """
    read = read_answer_file(path, _RANKING_COLUMNS, codes)
    for sentence in (*read.notes, *counted(read.left_out)):
        tell(f"{path}: {sentence}")
    found = answers_of_rows(read.rows, f"{path}, {read.unit}", codes or {})
    for note in found.notes:
        tell(f"{path}: {note}")
    for image, name, reason in found.left_out if whole else found.unranked:
        tell(f"{path}: {image or 'no image'}, {name or 'no annotator'} left out: {reason}")
    return found.whole if whole else found.following


def read_answer_file(
    path: str, needed: Sequence[str] = (), codes: Codes | None = None
) -> AnswerFile:
    """Return rows of rankings or pairs, or those in a tool's export, in CSV, JSON, JSON Lines or PrefLib.

    Raises RankingError if the file cannot be read, or has neither the ``needed`` columns nor those of
    pairs.
    """
    names, numbered = columns_and_rows(path)
    try:
        read = read_records([row for _, row in numbered], codes or {})
    except RankingError as fault:
        raise RankingError(f"{path}: {fault}") from fault
    rows = read.rows
    if not read.tool and not are_pairs(names):
        require(path, names, needed)
    # The rows of a tool are not those of the file.
    places = range(1, len(rows) + 1) if read.tool else [at for at, _ in numbered]
    is_lines = not read.tool and not path.endswith((".json", ".jsonl")) and not is_preflib(path)
    unit = "line" if is_lines else "answer" if read.tool else "row"
    notes = [*read.notes, *([NAMELESS] if is_preflib(path) else [])]
    return AnswerFile([*zip(places, rows, strict=True)], unit, read.left_out, notes)


def read_declared(path: str) -> Declared:
    """Return groups and scenes of a file of rankings, in its columns ``group`` and ``scene`` if any.

    Raises RankingError if the file cannot be read, or an annotator has two groups, or an image two
    scenes.
    """
    found: dict[str, dict[str, str]] = {"group": {}, "scene": {}}
    for line, row in rows_of(path):
        for column, member in (("group", "annotator"), ("scene", "image")):
            cluster = str(row.get(column) or "")
            if not cluster or str(row.get("in_reports")).lower() == "false":
                continue
            name = str(row.get(member) or "")
            known = found[column].setdefault(name, cluster)
            if known != cluster:
                raise RankingError(
                    f"{path}, line {line}: {name} has {column} {cluster}, and {known} before"
                )
    return Declared(found["group"], found["scene"])
