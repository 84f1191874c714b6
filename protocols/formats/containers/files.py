"""Sources of readers, and their bytes."""

import zipfile
from pathlib import Path
from typing import BinaryIO

from ..problems import Problems, visible

File = str | Path | BinaryIO
# A file, or a zip that was opened once for several readers.
Source = File | zipfile.ZipFile


def source_name(source: Source, name: str | None = None) -> str:
    """Return a source's name in messages."""
    if name is not None:
        return name
    if isinstance(source, zipfile.ZipFile):
        source = source.filename or "archive"
    found = source if isinstance(source, str | Path) else getattr(source, "name", "archive")
    return Path(str(found)).name


def read_whole(source: Source, problems: Problems, max_bytes: int, expected: str) -> bytes | None:
    """Return the bytes of a file that is not an archive; None and a problem if it cannot be read.

    Messages name the expected kind of file.
    """
    try:
        if isinstance(source, str | Path):
            with open(source, "rb") as file:
                content = file.read(max_bytes + 1)
        else:
            content = _from_begin(source, max_bytes + 1)
    except (OSError, ValueError) as fault:
        reason = visible(str(getattr(fault, "strerror", None) or fault))
        problems.error("A1", f"a file that cannot be read ({reason})", expected)
        return None
    if len(content) > max_bytes:
        problems.error("A3", "a larger file", f"at most {max_bytes} bytes")
        return None
    return content


def first_bytes(source: Source, n: int) -> bytes:
    """Return the first bytes of a file; empty if it cannot be read."""
    try:
        if isinstance(source, str | Path):
            with open(source, "rb") as file:
                return file.read(n)
        return _from_begin(source, n)
    except (OSError, ValueError):
        return b""


def _from_begin(source: BinaryIO | zipfile.ZipFile, n: int) -> bytes:
    file = source.fp if isinstance(source, zipfile.ZipFile) else source
    if file is None:
        return b""
    file.seek(0)
    begin = file.read(n)
    file.seek(0)
    return begin
