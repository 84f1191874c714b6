"""Files waiting to be loaded: on disk by load, under their hashes, not their names, and limited in size."""

import gzip
import hashlib
import json
import shutil
import tempfile
import time
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import IO, Any, Final

from django.conf import settings
from django.utils.translation import gettext as _

from annotate.jobs.errors import JobFailed
from protocols.formats.containers.archives import opened_once
from protocols.formats.containers.files import Source

from .errors import NotLoaded
from .models import DraftFile

# Called with how much of the work is done, and the total; it may raise to stop the work.
Progress = Callable[[int, int], None]
_CHUNK: Final = 1024 * 1024
_GIB: Final = 1024**3


def folder() -> Path:
    """Return the folder of waiting uploads; no page serves them as they are."""
    return Path(settings.DATA_DIR) / "staged"


def _folder_of(draft: int) -> Path:
    # No two loads share a file: what one of them forgets, no other needs.
    return folder() / "loads" / str(draft)


def path_of(draft: int, sha256: str) -> Path:
    return _folder_of(draft) / sha256


@dataclass(frozen=True)
class Upload:
    """A file that was received and belongs to no draft yet."""

    path: Path
    sha256: str
    size: int

    def keep(self, draft: int) -> None:
        path = path_of(draft, self.sha256)
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path.replace(path)


@contextmanager
def received(stream: IO[bytes], name: str) -> Iterator[Upload]:
    """Receive an upload, which is removed at the end unless a draft keeps it.

    Raises NotLoaded if it exceeds the limit of one file or of all waiting files.
    """
    room = settings.STAGED_TOTAL_MAX_BYTES - _waiting_bytes()
    most = min(settings.STAGED_FILE_MAX_BYTES, room)
    folder().mkdir(parents=True, exist_ok=True)
    digest, size = hashlib.sha256(), 0
    with tempfile.NamedTemporaryFile(dir=folder(), prefix="upload-", delete=False) as target:
        path = Path(target.name)
        try:
            while chunk := stream.read(_CHUNK):
                size += len(chunk)
                if size > most:
                    raise _too_large(name, room)
                digest.update(chunk)
                target.write(chunk)
            target.close()
            yield Upload(path, digest.hexdigest(), size)
        finally:
            path.unlink(missing_ok=True)


def _too_large(name: str, room: int) -> NotLoaded:
    if room < settings.STAGED_FILE_MAX_BYTES:
        return NotLoaded(
            _(
                "There is no room for {name}: {n} GiB of uploads are waiting to be loaded. Load or "
                "discard some first."
            ).format(name=name, n=settings.STAGED_TOTAL_MAX_BYTES // _GIB)
        )
    return NotLoaded(
        _("{name} is larger than {n} GiB. Use the command line.").format(
            name=name, n=settings.STAGED_FILE_MAX_BYTES // _GIB
        )
    )


def _waiting_bytes() -> int:
    return sum(path.stat().st_size for path in folder().rglob("*") if path.is_file())


def forget(draft: int) -> None:
    """Remove the uploads of a draft and the rows read from them."""
    shutil.rmtree(_folder_of(draft), ignore_errors=True)


def files_older_than(seconds: float, besides: Container[int]) -> Iterator[Path]:
    """Yield the files older than this, including interrupted uploads, but for those of the drafts."""
    limit = time.time() - seconds
    for path in folder().rglob("*"):
        match path.relative_to(folder()).parts:
            case ["loads", draft, *_rest] if int(draft) in besides:
                continue
        with suppress(FileNotFoundError):
            if path.is_file() and path.stat().st_mtime < limit:
                yield path


@dataclass(frozen=True, slots=True)
class Given:
    """A file of a draft, its path, and what its readers read: the path, or the zip once opened."""

    file: DraftFile
    path: Path
    source: Source

    @classmethod
    def of(cls, file: DraftFile, paths: Mapping[int, Path]) -> "Given":
        """Return a file with its path; ``paths`` has those of files read in place, by key."""
        if file.pk in paths:
            return cls(file, paths[file.pk], paths[file.pk])
        path = path_of(file.draft_id, file.sha256)
        if not path.exists():
            raise JobFailed(
                _(
                    "{file} waited too long and is no longer here. Remove it, and add it again."
                ).format(file=file.name)
            )
        return cls(file, path, path)

    @property
    def rows(self) -> "Rows":
        """The rows that are read from the file."""
        return Rows(self.file)

    @contextmanager
    def opened(self) -> Iterator["Given"]:
        """Open a zip once for all readers of the file."""
        with opened_once(self.path) as source:
            yield replace(self, source=source)


class Rows:
    """Rows that a check read from a file, on disk as a JSON list per line, to save memory."""

    def __init__(self, file: DraftFile) -> None:
        self.path = _folder_of(file.draft_id) / "rows" / f"{file.pk}.jsonl.gz"

    def write(self, rows: Iterator[Sequence[Any]]) -> int:
        """Write all rows and return their number; until then readers see the earlier rows."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        part = self.path.with_suffix(".part")
        n = 0
        try:
            with gzip.open(part, "wt", compresslevel=1, encoding="utf-8") as stream:
                for row in rows:
                    stream.write(json.dumps(row, separators=(",", ":"), ensure_ascii=False))
                    stream.write("\n")
                    n += 1
            part.replace(self.path)
        finally:
            part.unlink(missing_ok=True)
        return n

    def __iter__(self) -> Iterator[list[Any]]:
        stream: IO[str]
        with gzip.open(self.path, "rt", encoding="utf-8") as stream:
            for line in stream:
                yield json.loads(line)

    def by_method(self) -> Iterator[tuple[str, Iterator[list[Any]]]]:
        """Group rows of results or scores by their method, the first column."""
        return groupby(self, key=lambda row: row[0])

    def sha256(self) -> str:
        with self.path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
