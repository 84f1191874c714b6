"""Files that wait to be loaded: on disk under their hash, bounded, never under a user's name."""

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
    """Return the folder in which uploads wait; no page serves from it."""
    return Path(settings.DATA_DIR) / "staged"


def path_of(sha256: str) -> Path:
    return folder() / "files" / sha256[:2] / sha256


def rows_path(draft: int, file: int) -> Path:
    """Return the file in which the rows read from a draft's file wait."""
    return folder() / "rows" / str(draft) / f"{file}.jsonl.gz"


def keep(stream: BinaryIO, name: str) -> tuple[str, int]:
    """Store an upload; return its SHA-256 and its size.

    Raises NotLoaded where it is larger than one file, or all that waits, may be. A file that is there is
    kept once.
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
                "There is no room for {name}: {n} GiB of uploads wait to be loaded. "
                "Load or discard some first."
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
    """Everything that has waited for so long, uploads that broke off included."""
    limit = time.time() - seconds
    for path in folder().rglob("*"):
        with suppress(FileNotFoundError):
            if path.is_file() and path.stat().st_mtime < limit:
                yield path


class Rows:
    """Rows that were read and checked, one JSON list a line, on disk: memory never holds them all."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, rows: Iterator[Sequence[Any]]) -> int:
        """Write all rows and return how many; concurrent readers see the earlier ones."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        part = self.path.with_suffix(".part")
        n = 0
        with gzip.open(part, "wt", compresslevel=1, encoding="utf-8") as stream:
            for row in rows:
                stream.write(json.dumps(row, separators=(",", ":"), ensure_ascii=False))
                stream.write("\n")
                n += 1
        part.replace(self.path)
        return n

    def __iter__(self) -> Iterator[list[Any]]:
        stream: IO[str]
        with gzip.open(self.path, "rt", encoding="utf-8") as stream:
            for line in stream:
                yield json.loads(line)

    def sha256(self) -> str:
        with self.path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
