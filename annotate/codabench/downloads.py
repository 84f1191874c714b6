"""Downloads of an organiser from Codabench: submissions that may count, in a staged folder.

User names tell submissions apart. They are in this folder only, which goes with the load.
"""

import json
import random
import secrets
import shutil
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Any, Final

from annotate.datasets.models import Dataset
from annotate.imports import staging
from annotate.imports.errors import NotLoaded
from protocols.codabench.settings import Settings, settings_of_bundle
from protocols.codabench.values import SettingsError

from .submissions import Submission, read_results

_BAD_ZIP: Final = (OSError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError)
_INDEX: Final = "index.json"
File = tuple[str, IO[bytes]]


@dataclass(slots=True)
class Download:
    """The files of one download, and the kept settings of its bundle if one was given."""

    folder: Path
    given: Mapping[str, Any] | None = None
    submissions: list[Submission] = field(default_factory=list)
    # Names of entries that are no submissions.
    others: list[str] = field(default_factory=list)
    # Entries of the leaderboard whose submissions are not there.
    without: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, dataset: Dataset, token: str) -> "Download":
        """Return a download that was received; raise NotLoaded if it is gone."""
        folder = _folder(dataset) / token
        try:
            index = json.loads((folder / _INDEX).read_text(encoding="utf-8"))
        except OSError as fault:
            raise NotLoaded("The files are no longer here. Upload them again.") from fault
        submissions = [Submission(**of) for of in index.pop("submissions")]
        return cls(folder, submissions=submissions, **index)

    @property
    def settings(self) -> Settings | None:
        return Settings.kept(self.given) if self.given else None

    def path_of(self, submission: Submission) -> Path:
        return self.folder / f"submission-{submission.key}.zip"

    def forget(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def add(self, name: str, stream: IO[bytes]) -> None:
        """Add the file of one submission, or each in ``bulk_submissions.zip``."""
        for entry, opened in _entries(name, stream):
            submission = Submission.named(entry.rpartition("/")[2])
            if entry != name and not submission.number:
                self.others.append(entry)
                continue
            try:
                with opened() as content, staging.received(content, entry) as upload:
                    submission.sha256 = upload.sha256
                    if not zipfile.is_zipfile(upload.path):
                        submission.fault = "It is no zip."
                    upload.path.replace(self.path_of(submission))
            except (*_BAD_ZIP, NotLoaded) as fault:
                submission.fault = str(fault)
            self.submissions.append(submission)


def _entries(name: str, stream: IO[bytes]) -> Iterator[tuple[str, Callable[[], IO[bytes]]]]:
    """Yield name and content of one submission, or of each file in ``bulk_submissions.zip``."""
    if not Submission.named(name).number:
        try:
            packed = zipfile.ZipFile(stream)
        except _BAD_ZIP as fault:
            raise NotLoaded(f"{name} cannot be read: {fault}.") from fault
        entries = [of for of in packed.infolist() if not of.is_dir()]
        if any(of.filename.endswith(".zip") for of in entries):
            for of in entries:
                yield of.filename, partial(packed.open, of)
            return
    stream.seek(0)
    yield name, lambda: stream


def _folder(dataset: Dataset) -> Path:
    return staging.folder() / "codabench" / str(dataset.pk)


def receive(
    dataset: Dataset,
    files: Iterable[File],
    *,
    results: File | None = None,
    bundle: File | None = None,
    phase: int | None = None,
    seed: int = 1,
) -> Download:
    """Stage downloads, each with its name, until they are loaded; say which submissions count.

    Raises NotLoaded if a file is not what it should be, or larger than uploads may be, and if the
    phase has no submission.
    """
    board = None if results is None else read_results(*results)
    try:
        given = None if bundle is None else settings_of_bundle(bundle[1]).given
    except SettingsError as fault:
        raise NotLoaded(f"{fault}.") from fault
    download = Download(_folder(dataset) / secrets.token_urlsafe(16), given)
    download.folder.mkdir(parents=True)
    try:
        for name, stream in files:
            download.add(name, stream)
        # One that was given twice is one.
        download.submissions = list({of.key: of for of in download.submissions}.values())
        download.submissions.sort(key=lambda of: (of.phase, of.number))
        _choose(download, board, phase, seed)
    except BaseException:
        download.forget()
        raise
    index = asdict(download)
    del index["folder"]
    (download.folder / _INDEX).write_text(json.dumps(index), encoding="utf-8")
    return download


def _choose(
    download: Download, board: Mapping[int, Submission] | None, phase: int | None, seed: int
) -> None:
    """Give submissions that count their reason and their method.

    With a leaderboard its entries count, else the last of each owner, in the last phase by default.
    A method has the name that its team gave, if no other has it, else Team 1, 2 …
    """
    phases = {of.phase for of in download.submissions}
    if not phases:
        raise NotLoaded("There is no submission in the files.")
    phase = max(phases) if phase is None else phase
    if phase not in phases:
        raise NotLoaded(f"There is no submission of phase {phase}, only of {sorted(phases)}.")
    entries = {} if board is None else dict(board)
    counted = {}
    for of in download.submissions:
        entry = entries.pop(of.number, None)
        if entry is not None:
            of.method, of.phase_name, of.scores = entry.method, entry.phase_name, entry.scores
        if of.phase == phase and (board is None or entry is not None):
            counted[of.number if board else of.owner or of.key] = of
    download.without = [f"{at} ({of.owner})" for at, of in entries.items() if of.phase == phase]
    n_named = Counter(of.method.casefold() for of in counted.values())
    numbers = list(range(1, len(counted) + 1))
    random.Random(seed).shuffle(numbers)  # nosec B311
    for of, number in zip(counted.values(), numbers, strict=True):
        of.reason = "last of its owner" if board is None else "on the leaderboard"
        if not of.method or n_named[of.method.casefold()] > 1:
            of.method = f"Team {number}"
    of_owner = {of.owner: of.method for of in counted.values()}
    for of in download.submissions:
        if not of.reason:
            of.method = of_owner.get(of.owner, "")
