"""Downloads of an organiser from Codabench: submissions and leaderboards, in a staged folder.

User names tell submissions apart. They are in this folder only, which goes with the load.
"""

import json
import random
import re
import secrets
import shutil
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import BinaryIO, Final, cast

from annotate.datasets.models import Dataset
from annotate.errors import NotThere
from annotate.imports import staging
from annotate.imports.errors import NotLoaded
from protocols.codabench.settings import Settings, settings_of_bundle
from protocols.codabench.values import SettingsError

from .results import Entry, read_results

_NAME: Final = re.compile(
    r"(?P<id>\d+)_(?P<owner>.+?)_PhaseId(?P<phase>\d+)_\d{4}-\d\d-\d\d_\d\d-\d\d_(?P<file>.*)\.zip"
)
_BAD_ZIP: Final = (OSError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError)
_INDEX, _BUNDLE = "index.json", "bundle.zip"
File = tuple[str, BinaryIO]


@dataclass(frozen=True, slots=True)
class Submission:
    """A submission of a download; the file of one alone has no ID (0), owner and phase."""

    file: str
    number: int = 0
    owner: str = ""
    phase: int = 0
    sha256: str = ""
    n_files: int = 0
    # Why it cannot be read, as a sentence.
    fault: str = ""
    # Set by ``proposed``: why it counts ("": it does not), its method, Codabench's scores by column.
    reason: str = ""
    method: str = ""
    scores: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def named(cls, name: str) -> "Submission":
        if match := _NAME.fullmatch(name):
            file, number, phase = f"{match['file']}.zip", int(match["id"]), int(match["phase"])
            return cls(file, number, match["owner"], phase)
        return cls(name)

    @property
    def key(self) -> str:
        return str(self.number or self.sha256[:12])


@dataclass(slots=True)
class Download:
    """The files of one download; names of entries that are no submissions are ``others``."""

    folder: Path
    submissions: list[Submission] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    # By the ID of the submission; None: no results were given.
    results: dict[int, Entry] | None = None

    @classmethod
    def of(cls, dataset: Dataset, token: str) -> "Download":
        """Return a download that was received; raise NotThere if it is gone."""
        folder = _folder(dataset) / token
        try:
            index = json.loads((folder / _INDEX).read_text(encoding="utf-8"))
        except OSError as fault:
            raise NotThere from fault
        results = index["results"] and {int(at): Entry(**of) for at, of in index["results"].items()}
        return cls(
            folder, [Submission(**of) for of in index["submissions"]], index["others"], results
        )

    @property
    def settings(self) -> Settings | None:
        """The settings of the bundle; None if none was given."""
        path = self.folder / _BUNDLE
        return settings_of_bundle(path) if path.exists() else None

    def path_of(self, submission: Submission) -> Path:
        return self.folder / f"submission-{submission.key}.zip"

    def forget(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def add(self, name: str, stream: BinaryIO) -> None:
        """Add the file of one submission, or each in ``bulk_submissions.zip``."""
        named = Submission.named(name)
        with staging.received(stream, name) as upload:
            try:
                with zipfile.ZipFile(upload.path) as packed:
                    entries = [of for of in packed.infolist() if not of.is_dir()]
                    if not named.number and any(of.filename.endswith(".zip") for of in entries):
                        for entry in entries:
                            self._add_entry(packed, entry)
                        return
            except _BAD_ZIP as fault:
                if not named.number:
                    raise NotLoaded(f"{name} cannot be read: {fault}.") from fault
                entries, named = [], replace(named, fault="It is no zip.")
            named = replace(named, sha256=upload.sha256, n_files=len(entries))
            if named.key in [of.key for of in self.submissions]:
                self.others.append(f"{name} (again)")
            else:
                upload.path.replace(self.path_of(named))
                self.submissions.append(named)

    def _add_entry(self, packed: zipfile.ZipFile, entry: zipfile.ZipInfo) -> None:
        name = entry.filename.rpartition("/")[2]
        named = Submission.named(name)
        if not named.number:
            self.others.append(entry.filename)
            return
        try:
            with packed.open(entry) as stream:
                self.add(name, cast("BinaryIO", stream))
        except (*_BAD_ZIP, NotLoaded) as fault:
            self.submissions.append(replace(named, fault=str(fault)))


def _folder(dataset: Dataset) -> Path:
    return staging.folder() / "codabench" / str(dataset.pk)


def receive(
    dataset: Dataset,
    files: Iterable[File],
    *,
    results: File | None = None,
    bundle: File | None = None,
) -> Download:
    """Stage downloads, each with its name, until they are loaded.

    Raises NotLoaded if a file is not what it should be, or larger than uploads may be.
    """
    download = Download(_folder(dataset) / secrets.token_urlsafe(16))
    download.folder.mkdir(parents=True)
    try:
        if bundle is not None:
            with staging.received(bundle[1], bundle[0]) as upload:
                upload.path.replace(download.folder / _BUNDLE)
            _ = download.settings
        if results is not None:
            download.results = read_results(*results)
        for name, stream in files:
            download.add(name, stream)
        if not download.submissions:
            raise NotLoaded("There is no submission in the files.")
    except BaseException as fault:
        download.forget()
        if isinstance(fault, SettingsError):
            raise NotLoaded(f"{fault}.") from fault
        raise
    download.submissions.sort(key=lambda of: (of.phase, of.number))
    kept = {name: getattr(download, name) for name in ("submissions", "others", "results")}
    (download.folder / _INDEX).write_text(json.dumps(kept, default=asdict), encoding="utf-8")
    return download


def proposed(
    download: Download, *, phase: int | None = None, seed: int = 1
) -> tuple[list[Submission], list[str]]:
    """Return the submissions, those that count with the reason; leaderboard entries without one.

    With results those on the leaderboard count, else the last of each owner, in the last phase by
    default. A method has the name that its team gave, if no other has it, else Team 1, 2 …
    """
    given, results = download.submissions, download.results or {}
    phases = {of.phase for of in given}
    phase = max(phases) if phase is None else phase
    if phase not in phases:
        raise NotLoaded(f"There is no submission of phase {phase}, only of {sorted(phases)}.")
    in_phase = [of for of in given if of.phase == phase]
    counted = [of for of in in_phase if of.number in results]
    if download.results is None:
        counted = list({of.owner or of.key: of for of in in_phase}.values())
    answers = [results[of.number].method if results else "" for of in counted]
    n_named = Counter(name.casefold() for name in answers)
    numbers = list(range(1, len(counted) + 1))
    random.Random(seed).shuffle(numbers)  # nosec B311
    methods = {
        of.key: name if name and n_named[name.casefold()] == 1 else f"Team {number}"
        for of, name, number in zip(counted, answers, numbers, strict=True)
    }
    of_owner = {of.owner: methods[of.key] for of in counted}
    reason = "last of its owner" if download.results is None else "on the leaderboard"
    listed = [
        replace(
            of,
            reason=reason if of.key in methods else "",
            method=methods.get(of.key) or of_owner.get(of.owner, ""),
            scores=results[of.number].scores if of.number in results else {},
        )
        for of in given
    ]
    there = {of.number for of in given}
    without = [f"{at} ({of.owner})" for at, of in results.items() if of.phase_id == phase]
    return listed, [of for of in without if int(of.partition(" ")[0]) not in there]
