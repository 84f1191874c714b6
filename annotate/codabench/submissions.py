"""Submissions as Codabench names their files, and lists them on a leaderboard (JSON or CSV)."""

import ast
import csv
import io
import json
import re
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import IO, Any, Final

from annotate.imports.errors import NotLoaded
from protocols.formats.names import MAX_METHOD

_NAME: Final = re.compile(
    r"(?P<id>\d+)_(?P<owner>.+?)_PhaseId(?P<phase>\d+)_\d{4}-\d\d-\d\d_\d\d-\d\d_(?P<file>.*\.zip)"
)
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


@dataclass(slots=True)
class Submission:
    """A submission of a download or a leaderboard; a file by itself has no ID (0), owner and phase."""

    file: str
    number: int = 0
    owner: str = ""
    phase: int = 0
    sha256: str = ""
    # Why it cannot be read, as a sentence.
    fault: str = ""
    # Why it counts ("": it does not), and the method that it is loaded as.
    reason: str = ""
    method: str = ""
    # On the leaderboard: the name of the phase, scores by the titles of columns.
    phase_name: str = ""
    scores: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def named(cls, name: str) -> "Submission":
        if match := _NAME.fullmatch(name):
            return cls(match["file"], int(match["id"]), match["owner"], int(match["phase"]))
        return cls(name)

    @property
    def key(self) -> str:
        return str(self.number or self.sha256[:12] or self.file)


def read_results(name: str, stream: IO[bytes]) -> dict[int, Submission]:
    """Return the entries by their submissions, from *All JSON*, *All CSV* (a zip) or *This CSV*.

    Raises NotLoaded if the file is none of them.
    """
    content = stream.read(_MOST_BYTES)
    found: dict[int, Submission] = {}
    try:
        for title, entries in _boards(name, content).items():
            board = _matched(_BOARD, title)
            for key, entry in entries.items():
                of = _matched(_ENTRY, key)
                submission = Submission("", int(of["id"]), of["owner"], int(board["id"]))
                submission.phase_name = board["phase"]
                submission.method = _method(entry.get("fact_sheet_answers"))
                submission.scores = {
                    match["title"]: str(value)
                    for title, value in entry.items()
                    if value not in ("", None) and (match := _SCORE.fullmatch(title))
                }
                found[submission.number] = submission
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
