"""Leaderboards that an organiser downloads from Codabench, as JSON or as CSV."""

import ast
import csv
import io
import json
import re
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any, Final

from annotate.imports.errors import NotLoaded
from protocols.formats.names import MAX_METHOD

_BOARD: Final = re.compile(r".*? - (?P<phase>.*?)\((?P<id>\d+)\)(?: \(\d+\))?(?:\.csv)?")
_ENTRY: Final = re.compile(r"(?P<owner>.*)-(?P<id>\d+)")
_SCORE: Final = re.compile(r".*?\(\d+\)-(?P<title>.*)")
_MOST_BYTES: Final = 64 * 1024**2
_BAD: Final = (
    *(ValueError, TypeError, KeyError, AttributeError, SyntaxError, RecursionError, csv.Error),
    # Python's own parser raises it for a long row of signs.
    MemoryError,
    *(zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError),
)


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a leaderboard: its owner, its phase, the method that the team named, its scores."""

    owner: str
    phase: str
    phase_id: int
    method: str
    scores: Mapping[str, str]


def read_results(name: str, stream: IO[bytes]) -> dict[int, Entry]:
    """Return the entries by their submissions, from *All JSON*, *All CSV* (a zip) or *This CSV*.

    Raises NotLoaded if the file is none of them.
    """
    content = stream.read(_MOST_BYTES)
    found: dict[int, Entry] = {}
    try:
        for title, entries in _boards(name, content).items():
            board = _matched(_BOARD, title)
            for key, entry in entries.items():
                of = _matched(_ENTRY, key)
                found[int(of["id"])] = Entry(
                    owner=of["owner"],
                    phase=board["phase"],
                    phase_id=int(board["id"]),
                    method=_method(entry.get("fact_sheet_answers")),
                    scores={
                        match["title"]: str(value)
                        for title, value in entry.items()
                        if value not in ("", None) and (match := _SCORE.fullmatch(title))
                    },
                )
    except _BAD as fault:
        raise NotLoaded(f"{name} is not the JSON or CSV of Codabench's results.") from fault
    return found


def _boards(name: str, content: bytes) -> Mapping[str, Mapping[str, Any]]:
    if name.lower().endswith(".csv"):
        return {name: _rows(content)}
    if not zipfile.is_zipfile(io.BytesIO(content)):
        boards: Mapping[str, Mapping[str, Any]] = json.loads(content)
        return boards
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        if sum(of.file_size for of in packed.infolist()) > _MOST_BYTES:
            raise ValueError(name)
        return {of: _rows(packed.read(of)) for of in packed.namelist()}


def _rows(content: bytes) -> dict[str, Any]:
    """Return the rows of a CSV, in which answers are written as Python does."""
    table = csv.DictReader(io.StringIO(content.decode("utf-8-sig")))
    if "Username" not in (table.fieldnames or ["Username"]):
        raise ValueError("Username")
    rows = {of["Username"]: of for of in table}
    for of in rows.values():
        of["fact_sheet_answers"] = ast.literal_eval(of.get("fact_sheet_answers") or "{}")
    return rows


def _matched(pattern: re.Pattern[str], text: str) -> re.Match[str]:
    if (match := pattern.fullmatch(text)) is None:
        raise ValueError(text)
    return match


def _method(answers: Any) -> str:
    answer = answers.get("method") if isinstance(answers, Mapping) else None
    name = " ".join(str(answer or "").split())[:MAX_METHOD]
    return name if name.isprintable() else ""
