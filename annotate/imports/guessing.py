"""Guessing of an uploaded file's kind and format, and of the name it is loaded under."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from protocols.formats.containers.folders import holds_photographs, unfolded
from protocols.formats.names import method_name
from protocols.formats.recognition.guessing import guess
from protocols.formats.recognition.reading import LINES

from .annotators_csv import COLUMNS
from .models import FileKind

_KINDS: Final = {
    "images": FileKind.PHOTOGRAPHS,
    "truth": FileKind.TRUTH,
    "results": FileKind.RESULTS,
    "scores": FileKind.SCORES,
}


@dataclass(frozen=True, slots=True)
class FileGuess:
    """The guess about a file, which the user may correct."""

    kind: str
    format: str
    # The method of results, the protocol of scores.
    title: str
    reason: str


def guess_file(path: Path, name: str, *, has_truth: bool = False) -> FileGuess:
    """Guess from the content first and the name second.

    If ``has_truth``, there is ground truth already, so transcriptions or absent confidences do not
    prove that this file is ground truth.
    """
    if holds_photographs(path):
        words = "Most of its files are pictures by name."
        return FileGuess(FileKind.PHOTOGRAPHS, "", "", words)
    if not path.is_dir() and _is_list_of_people(path):
        return FileGuess(
            FileKind.USERS,
            "",
            "",
            f"Its first line names {', '.join(COLUMNS)}.",
        )
    guessed = guess(unfolded(path), name)
    kind = _KINDS.get(guessed.kind or "", FileKind.RESULTS)
    if has_truth and guessed.is_open:
        kind = FileKind.RESULTS
    title = ""
    if kind in (FileKind.RESULTS, FileKind.SCORES):
        title = method_name(name)
    # The format of lines, and what labels are, is detected when all are read; a few do not reveal it.
    format = "" if guessed.format in {*LINES, "labelme"} else guessed.format or ""
    return FileGuess(kind, format, title, guessed.reason)


def _is_list_of_people(path: Path) -> bool:
    with path.open("rb") as file:
        first = file.read(1000).split(b"\n")[0].decode("utf-8-sig", "replace").lower()
    return {*COLUMNS} <= {*first.replace(";", ",").split(",")}
