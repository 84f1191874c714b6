"""Files waiting to be loaded: on disk under their hashes, not their names, and limited in size."""

import gzip
import hashlib
import json
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, BinaryIO, Final

from django.conf import settings

from text_rankings.base.i18n import gettext as _

from .errors import NotLoaded

_CHUNK: Final = 1024 * 1024
_GIB: Final = 1024**3


def folder() -> Path:
    """Return the folder of waiting uploads; no page serves them as they are."""
    return Path(settings.DATA_DIR) / "staged"


def path_of(sha256: str) -> Path:
    return folder() / "files" / sha256[:2] / sha256


def rows_path(draft: int, file: int) -> Path:
    """Return the path of the rows read from a draft's file."""
    return folder() / "rows" / str(draft) / f"{file}.jsonl.gz"


def keep(stream: BinaryIO, name: str) -> tuple[str, int]:
    """Store an upload; return its SHA-256 and its size.

    Raises NotLoaded if it exceeds the limit of one file or of all waiting files. Equal files are
    stored once.
    """
    room = settings.STAGED_TOTAL_MAX_BYTES - _waiting_bytes()
    most = min(settings.STAGED_FILE_MAX_BYTES, room)
    folder().mkdir(parents=True, exist_ok=True)
    digest, size = hashlib.sha256(), 0
    with tempfile.NamedTemporaryFile(dir=folder(), prefix="upload-", delete=False) as target:
        part = Path(target.name)
        try:
            while chunk := stream.read(_CHUNK):
                size += len(chunk)
                if size > most:
                    raise _too_large(name, room)
                digest.update(chunk)
                target.write(chunk)
            target.close()
            path = path_of(digest.hexdigest())
            path.parent.mkdir(parents=True, exist_ok=True)
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    return digest.hexdigest(), size


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


def forget(sha256: str) -> None:
    path_of(sha256).unlink(missing_ok=True)


def forget_rows(draft: int) -> None:
    shutil.rmtree(rows_path(draft, 0).parent, ignore_errors=True)


def files_older_than(seconds: float) -> Iterator[Path]:
    """Yield the files older than this, including interrupted uploads."""
    limit = time.time() - seconds
    for path in folder().rglob("*"):
        with suppress(FileNotFoundError):
            if path.is_file() and path.stat().st_mtime < limit:
                yield path


class Rows:
    """Rows that were read and checked, on disk as a JSON list per line, to save memory."""

    def __init__(self, path: Path) -> None:
        self.path = path

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

    def sha256(self) -> str:
        with self.path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
