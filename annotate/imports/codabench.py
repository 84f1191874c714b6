"""Downloads of a competition's organiser on Codabench: which submissions count, and under which names.

User names of participants are read to tell submissions apart and are not stored.
"""

import io
import json
import random
import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from annotate.datasets.models import Dataset
from protocols.formats.containers.archives import Limits

from .errors import NotLoaded
from .immediate import FileToLoad, load_files
from .models import FileKind, Import

_NAME: Final = re.compile(
    r"(?P<id>\d+)_(?P<owner>.+?)_PhaseId(?P<phase>\d+)_\d{4}-\d\d-\d\d_\d\d-\d\d_(?P<file>.*)\.zip"
)
_BOARD: Final = re.compile(r".*\((?P<phase>\d+)\)")
_ENTRY: Final = re.compile(r".*-(?P<id>\d+)")
_MAX_METHOD: Final = 120


@dataclass(frozen=True, slots=True)
class Submission:
    """A submission of a download; ``method`` is its name here, and ``reason`` says why it counts."""

    number: int
    owner: str
    phase: int
    file: str
    content: bytes
    method: str = ""
    reason: str = ""
    scores: Mapping[str, str] | None = None

    @property
    def sha256(self) -> str:
        return sha256(self.content).hexdigest()


@dataclass(frozen=True, slots=True)
class Loaded:
    """The outcome of one submission: loaded, loaded before, or refused with a sentence."""

    submission: Submission
    is_new: bool
    refusal: str = ""


def read_download(path: Path) -> list[Submission]:
    """Return the submissions of ``bulk_submissions.zip``, or of one zip of it.

    Raises NotLoaded if the file is no such zip.
    """
    limits = Limits()
    try:
        if match := _NAME.fullmatch(path.name):
            return [_submission(match, path.read_bytes())]
        with zipfile.ZipFile(path) as packed:
            found = []
            for entry in packed.infolist():
                match = _NAME.fullmatch(entry.filename.rpartition("/")[2])
                if match is None:
                    continue
                if entry.file_size > limits.total_bytes:
                    raise NotLoaded(f"{entry.filename} is too large.")
                found.append(_submission(match, packed.read(entry)))
    except (OSError, zipfile.BadZipFile) as fault:
        raise NotLoaded(f"{path.name} cannot be read: {fault}.") from fault
    if not found:
        wanted = "ID_OWNER_PhaseIdN_DATE_FILE.zip"
        raise NotLoaded(f"{path.name} has no submission, which Codabench names {wanted}.")
    return sorted(found, key=lambda of: of.number)


def _submission(match: re.Match[str], content: bytes) -> Submission:
    number, phase = int(match["id"]), int(match["phase"])
    return Submission(number, match["owner"], phase, f"{match['file']}.zip", content)


def read_results(text: str, name: str) -> dict[int, Mapping[str, Any]]:
    """Return the leaderboard's entries by the ID of their submission, from *All JSON*.

    Raises NotLoaded if the file is not that.
    """
    try:
        return {
            int(match["id"]): dict(entry)
            for board, entries in json.loads(text).items()
            if _BOARD.fullmatch(board)
            for key, entry in entries.items()
            if (match := _ENTRY.fullmatch(key))
        }
    except (ValueError, AttributeError, TypeError) as fault:
        raise NotLoaded(f"{name} is not the JSON of Codabench's results.") from fault


def chosen(
    given: list[Submission],
    results: Mapping[int, Mapping[str, Any]] | None = None,
    *,
    phase: int | None = None,
    seed: int = 1,
) -> list[Submission]:
    """Return the submissions that count, in the order of their IDs, with their methods' names.

    With results those on the leaderboard, else the last of each owner. The phase is the last one by
    default. A method has the name that its team gave, if no other has it, else Team 1, 2 …
    """
    phases = {of.phase for of in given}
    phase = max(phases) if phase is None else phase
    if phase not in phases:
        raise NotLoaded(f"There is no submission of phase {phase}, only of {sorted(phases)}.")
    in_phase = [of for of in given if of.phase == phase]
    if results is not None:
        counted = [
            replace(of, reason="on the leaderboard", scores=_scores(results[of.number]))
            for of in in_phase
            if of.number in results
        ]
    else:
        last = {of.owner: of for of in sorted(in_phase, key=lambda of: of.number)}
        counted = [replace(of, reason="last of its owner") for of in last.values()]
    counted.sort(key=lambda of: of.number)
    names = {of.number: _answer((results or {}).get(of.number, {})) for of in counted}
    n_named = Counter(name.casefold() for name in names.values())
    numbers = list(range(1, len(counted) + 1))
    random.Random(seed).shuffle(numbers)
    return [
        replace(of, method=name if name and n_named[name.casefold()] == 1 else f"Team {number}")
        for of, number in zip(counted, numbers, strict=True)
        for name in [names[of.number]]
    ]


def _answer(entry: Mapping[str, Any]) -> str:
    answers = entry.get("fact_sheet_answers")
    answer = answers.get("method") if isinstance(answers, Mapping) else None
    name = " ".join(str(answer or "").split())[:_MAX_METHOD]
    return name if name.isprintable() else ""


def _scores(entry: Mapping[str, Any]) -> dict[str, str]:
    return {
        key.partition("-")[2]: str(value)
        for key, value in entry.items()
        if key != "fact_sheet_answers" and value not in ("", None)
    }


def load_submissions(
    dataset: Dataset, submissions: list[Submission], *, format: str = ""
) -> Iterator[Loaded]:
    """Load each submission as a result set, and yield its outcome.

    One that is refused stops no other, and one that was loaded before changes nothing.
    """
    receipts = Import.objects.filter(dataset=dataset, undone=None, kind=Import.Kind.RESULTS)
    known = {of["sha256"] for files in receipts.values_list("files", flat=True) for of in files}
    for submission in submissions:
        checksum = submission.sha256
        if checksum in known:
            yield Loaded(submission, is_new=False)
            continue
        with TemporaryDirectory() as folder:
            # The name of the download has the owner's.
            path = Path(folder, f"submission-{submission.number}.zip")
            path.write_bytes(submission.content)
            file = FileToLoad(
                path, FileKind.RESULTS, submission.method, format=format, missing="empty"
            )
            try:
                if not zipfile.is_zipfile(io.BytesIO(submission.content)):
                    raise NotLoaded(f"{path.name} is no zip.")
                load_files([file], dataset=dataset)
            except NotLoaded as refusal:
                yield Loaded(submission, is_new=False, refusal=str(refusal))
                continue
        known.add(checksum)
        yield Loaded(submission, is_new=True)
