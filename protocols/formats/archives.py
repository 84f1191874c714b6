"""Opening zip archives from strangers: bounded, and no name is ever used as a path."""

import stat
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from .problems import Problems

Source = str | Path | BinaryIO
_CLUTTER = {".DS_Store", "Thumbs.db", "desktop.ini"}
_MIB = 1024 * 1024
_ENCRYPTED = 0x1


@dataclass(frozen=True, slots=True)
class Limits:
    """How large an archive may be; a bomb stops at the first limit it meets."""

    n_entries: int = 100_000
    entry_bytes: int = 16 * _MIB
    total_bytes: int = 1024 * _MIB
    # Compression may be extreme only in small entries.
    ratio: int = 200
    ratio_from_bytes: int = _MIB


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of an archive: its base name, its whole name there, and its bytes."""

    name: str
    path: str
    content: bytes


def source_name(source: Source, name: str | None = None) -> str:
    """Return what messages call a source."""
    if name is not None:
        return name
    found = source if isinstance(source, str | Path) else getattr(source, "name", "archive")
    return Path(str(found)).name


def read_entries(source: Source, problems: Problems, limits: Limits) -> Iterator[Entry]:
    """Yield the files of a zip one after the other; what cannot be read becomes a problem."""
    try:
        with zipfile.ZipFile(source) as archive:
            yield from _entries(archive, problems, limits)
    except FileNotFoundError:
        problems.error("A1", "no file of this name", "a zip archive")
    except (zipfile.BadZipFile, EOFError, ValueError, OSError, NotImplementedError) as fault:
        problems.error("A1", f"a damaged file ({fault})", "a zip archive")


def _entries(archive: zipfile.ZipFile, problems: Problems, limits: Limits) -> Iterator[Entry]:
    infos = archive.infolist()
    if len(infos) > limits.n_entries:
        problems.error("A3", f"{len(infos)} entries", f"at most {limits.n_entries}")
        return
    total = 0
    for info in infos:
        path = info.filename
        name = path.rpartition("/")[2]
        if info.is_dir() or name in _CLUTTER or path.startswith("__MACOSX/"):
            continue
        if not _is_safe(info, problems):
            continue
        total += info.file_size
        if total > limits.total_bytes:
            problems.error(
                "A3", "more than fits when unpacked", f"{limits.total_bytes} bytes at most"
            )
            return
        content = _content(archive, info, problems, limits)
        if content is not None:
            yield Entry(name, path, content)


def _is_safe(info: zipfile.ZipInfo, problems: Problems) -> bool:
    path = info.filename
    parts = path.split("/")
    if not parts[0] or "\\" in path or ".." in parts or ":" in parts[0]:
        problems.error("A2", "a path that leaves the archive", "a plain file name", path)
    elif stat.S_ISLNK(info.external_attr >> 16):
        problems.error("A2", "a link", "a file", path)
    elif info.flag_bits & _ENCRYPTED:
        problems.error("A2", "an encrypted entry", "an archive without a password", path)
    else:
        return True
    return False


def _content(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, problems: Problems, limits: Limits
) -> bytes | None:
    path = info.filename
    too_dense = info.file_size > limits.ratio_from_bytes and info.file_size > limits.ratio * max(
        info.compress_size, 1
    )
    if info.file_size > limits.entry_bytes or too_dense:
        problems.error("A3", f"{info.file_size} bytes", f"{limits.entry_bytes} at most", path)
        return None
    try:
        with archive.open(info) as stream:
            # The size in the directory may lie; the limit does not.
            content = stream.read(limits.entry_bytes + 1)
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        NotImplementedError,
        RuntimeError,
        OSError,
    ) as fault:
        problems.error("A1", f"a damaged entry ({fault})", "an entry that unpacks", path)
        return None
    if len(content) > limits.entry_bytes:
        problems.error("A3", "more bytes than it says", f"{limits.entry_bytes} at most", path)
        return None
    return content
