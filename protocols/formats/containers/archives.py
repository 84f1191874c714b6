"""Opening zip archives from strangers: bounded, and no name is ever used as a path."""

import stat
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from struct import Struct
from typing import Any, Final
from weakref import WeakKeyDictionary

from text_rankings.base.counts import counted
from text_rankings.base.names import has_unseen

from ..problems import Problems, visible
from .files import File, Source, first_bytes

_CLUTTER: Final = {".DS_Store", "Thumbs.db", "desktop.ini"}
_MIB: Final = 1024 * 1024
_ENCRYPTED: Final = 0x1 | 0x40 | 0x2000
_UTF8_NAME: Final = 0x800
# The system of Windows in an entry, which Python writes as Unix.
_FAT: Final = 0
# Flags of the compression level, of sizes after the content, and of the name's encoding.
_PLAIN_FLAGS: Final = 0x2 | 0x4 | 0x8 | _UTF8_NAME
_MAX_PATH: Final = 1000
_NO_DATE: Final = (1980, 1, 1, 0, 0, 0)
_LOCAL_HEADER: Final = 30
# Fields of a local header: flags, and the lengths of name and extra field.
_OF_HEADER: Final = Struct("<6xH18xHH")
_ARCHIVE_NAMES: Final = (".zip", ".7z", ".rar", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst")
_LOCAL_SIGNATURE: Final = b"PK\x03\x04"
_END_SIGNATURE: Final = b"PK\x05\x06"
_END_RECORD: Final = 22
# The end record and the longest comment.
_MAX_END: Final = _END_RECORD + 0xFFFF
# Exceptions of unpacking a damaged archive.
_DAMAGE: Final = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    ValueError,
    OSError,
    OverflowError,
    NotImplementedError,
    RuntimeError,
)


@dataclass(frozen=True, slots=True)
class Limits:
    """The largest archive that is read; a bomb stops at the first limit it meets."""

    # A hundred thousand images, and their folders.
    n_entries: int = 200_000
    entry_bytes: int = 16 * _MIB
    total_bytes: int = 1024 * _MIB
    # Compression may be extreme only in small entries.
    ratio: int = 200
    ratio_from_bytes: int = _MIB
    # For a document that holds a whole dataset (COCO, CSV, EvaLTex).
    document_bytes: int = 256 * _MIB


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of an archive: its base name, its full name in the archive, and its bytes."""

    name: str
    path: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Member:
    """A file that an archive lists, before it is unpacked."""

    name: str
    path: str
    info: zipfile.ZipInfo


# Members and faults of open zips, by limits and name.
_CHECKED: Final = WeakKeyDictionary[
    zipfile.ZipFile, dict[tuple[Any, ...], tuple[Sequence[Member], Problems]]
]()


class OpenArchive:
    """A zip whose entries passed the checks of its directory; they are unpacked one at a time."""

    def __init__(
        self,
        members: Sequence[Member],
        problems: Problems,
        limits: Limits,
        archive: zipfile.ZipFile | None,
    ) -> None:
        self.members = members
        self._problems = problems
        self._limits = limits
        self._archive = archive

    def content(self, member: Member, max_bytes: int | None = None) -> bytes | None:
        """Return an entry's bytes, or None with a problem if they cannot be read."""
        if self._archive is None:
            return None
        return _content(
            self._archive, member, self._problems, max_bytes or self._limits.entry_bytes
        )


@contextmanager
def opened_once(source: Source) -> Iterator[Source]:
    """Open a zip for all who read it inside the context; yield anything else as it is."""
    if isinstance(source, zipfile.ZipFile) or first_bytes(source, 4) != _LOCAL_SIGNATURE:
        yield source
        return
    archive = _opened(source, Problems(""))
    if archive is None:
        # Each reader reports the damage.
        yield source
        return
    with archive:
        yield archive


@contextmanager
def open_archive(
    source: Source, problems: Problems, limits: Limits, *, max_bytes: int | None = None
) -> Iterator[OpenArchive]:
    """Open a zip and check its directory; faults become problems.

    An entry may have ``max_bytes`` where that is not ``limits.entry_bytes``.
    """
    archive = source if isinstance(source, zipfile.ZipFile) else _opened(source, problems)
    if archive is None:
        yield OpenArchive((), problems, limits, None)
        return
    with nullcontext() if archive is source else archive:
        yield OpenArchive(
            _members(archive, problems, limits, max_bytes or limits.entry_bytes),
            problems,
            limits,
            archive,
        )


def read_entries(source: Source, problems: Problems, limits: Limits) -> Iterator[Entry]:
    """Yield the files of a zip one after the other; unreadable ones become problems."""
    with open_archive(source, problems, limits) as archive:
        for member in archive.members:
            content = archive.content(member)
            if content is not None:
                yield Entry(member.name, member.path, content)


def _opened(source: File, problems: Problems) -> zipfile.ZipFile | None:
    try:
        return zipfile.ZipFile(source)
    except FileNotFoundError:
        problems.error("A1", "no file of this name", "a zip archive")
    except UnicodeDecodeError:
        problems.error("A1", "a file name that is not the UTF-8 it claims to be", "a zip archive")
    except _DAMAGE as fault:
        if first_bytes(source, 4) == _LOCAL_SIGNATURE:
            # The central directory, which makes a file a zip, is at the end.
            found = "a zip without its end, as after an interrupted download"
            problems.error("A1", found, "the whole file")
        elif isinstance(fault, zipfile.BadZipFile):
            problems.error("A1", "a file that is not a zip", "a zip archive")
        else:
            problems.error("A1", f"a damaged file ({visible(str(fault))[:200]})", "a zip archive")
    return None


def _members(
    archive: zipfile.ZipFile, problems: Problems, limits: Limits, max_bytes: int
) -> Sequence[Member]:
    """Return the entries of a zip, whose directory is checked once while it is open."""
    checked, key = _CHECKED.setdefault(archive, {}), (limits, max_bytes, problems.archive)
    if key not in checked:
        found = Problems(problems.archive)
        checked[key] = _checked_members(archive, found, limits, max_bytes), found
    members, found = checked[key]
    problems.merge(found)
    return members


def _checked_members(
    archive: zipfile.ZipFile, problems: Problems, limits: Limits, max_bytes: int
) -> Sequence[Member]:
    infos = archive.infolist()
    if len(infos) > limits.n_entries:
        problems.error("A3", f"{len(infos)} entries", f"at most {limits.n_entries}")
        return ()
    if not _ends_well(archive, problems) or not _is_laid_out_well(archive, infos, problems):
        return ()
    members = []
    unmarked: Counter[str] = Counter()
    total = 0
    for info in infos:
        # Dates are not read, and take a fifth of the memory of a directory.
        info.date_time = _NO_DATE
        path = _path(info, unmarked)
        name = path.rpartition("/")[2]
        if name in _CLUTTER or path.startswith("__MACOSX/"):
            continue
        if not _is_safe(info, path, problems):
            continue
        if path.endswith("/"):
            continue
        total += info.file_size
        if total > limits.total_bytes:
            problems.error(
                "A3", "more than fits when unpacked", f"{limits.total_bytes} bytes at most"
            )
            return ()
        if _is_small(info, path, problems, limits, max_bytes):
            members.append(Member(name, path, info))
    for what, n in unmarked.items():
        names = counted(n, "file name")
        problems.warning("L9", what.format(names=names), "names marked as UTF-8")
    return members


def _ends_well(archive: zipfile.ZipFile, problems: Problems) -> bool:
    """Return whether nothing follows the end except zeros and line ends; report what does."""
    file = archive.fp
    if file is None:
        return False
    size = file.seek(0, 2)
    file.seek(max(0, size - _MAX_END))
    tail = file.read(_MAX_END)
    at = tail.rfind(_END_SIGNATURE)
    comment = int.from_bytes(tail[at + _END_RECORD - 2 : at + _END_RECORD], "little")
    behind = tail[at + _END_RECORD + comment :]
    if not behind:
        return True
    expected = "a zip and nothing else"
    if not behind.strip(b"\0\r\n "):
        problems.warning("A1", f"{counted(len(behind), 'empty byte')} after the end", expected)
        return True
    found = f"{counted(len(behind), 'byte')} after the end"
    problems.error("A2", found, f"{expected}; pack the files again")
    return False


def _is_laid_out_well(
    archive: zipfile.ZipFile, infos: Sequence[zipfile.ZipInfo], problems: Problems
) -> bool:
    """Return whether no bytes come before the first entry and no entries overlap; report them."""
    placed = sorted(infos, key=lambda info: info.header_offset)
    if not placed:
        return True
    if placed[0].header_offset > 0:
        problems.error(
            "A2",
            f"{counted(placed[0].header_offset, 'byte')} before the first entry",
            "a zip and nothing else; pack the files again",
        )
        return False
    ends = [info.header_offset for info in placed[1:]] + [archive.start_dir]
    for info, end in zip(placed, ends, strict=True):
        # The extra field of the local header is not counted; with it, an entry is even longer.
        least = _LOCAL_HEADER + _n_bytes(info)
        if info.header_offset < 0 or info.header_offset + least + info.compress_size > end:
            problems.error(
                "A2",
                "entries that overlap",
                "each entry with bytes of its own; pack the files again",
                info.orig_filename[:_MAX_PATH],
            )
            return False
    return True


def _n_bytes(info: zipfile.ZipInfo) -> int:
    """Return how long an entry's name is in the archive: code page 437 has one byte a character."""
    marked = info.flag_bits & _UTF8_NAME
    return len(info.orig_filename.encode() if marked else info.orig_filename)


def _path(info: zipfile.ZipInfo, unmarked: Counter[str]) -> str:
    r"""Return an entry's name.

    Many programs write UTF-8 without setting the flag, and some of Windows ``\\`` between folders.
    """
    path = info.filename
    if info.create_system == _FAT:
        path = path.replace("\\", "/")
    if info.flag_bits & _UTF8_NAME or path.isascii():
        return path
    try:
        decoded = path.encode("cp437").decode("utf-8")
    except UnicodeError:
        unmarked["{names} in an unknown encoding"] += 1
        return path
    unmarked["{names} in UTF-8 that do not say so"] += 1
    return decoded


def _is_safe(info: zipfile.ZipInfo, path: str, problems: Problems) -> bool:
    parts = path.split("/")
    shown = path[:_MAX_PATH]
    kind = stat.S_IFMT(info.external_attr >> 16)
    if not parts[0] or "\\" in path or ".." in parts or ":" in parts[0]:
        problems.error("A2", "a path that leaves the archive", "a plain file name", shown)
    elif "\0" in info.orig_filename or has_unseen(path):
        problems.error("A2", "a name with characters that cannot be seen", "a plain name", shown)
    elif len(path) > _MAX_PATH:
        problems.error("A2", f"a name of {len(path)} characters", f"at most {_MAX_PATH}", shown)
    elif kind == stat.S_IFLNK:
        problems.error("A2", "a link", "a file", shown)
    elif kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        problems.error("A2", "a device, pipe or socket", "a file", shown)
    elif info.flag_bits & _ENCRYPTED:
        problems.error("A2", "an encrypted entry", "an archive without a password", shown)
    elif path.endswith("/") and info.file_size:
        problems.error("A2", "a folder with content of its own", "a folder or a file", shown)
    elif path.lower().endswith(_ARCHIVE_NAMES):
        problems.error(
            "A2", "an archive inside the archive", "files; unpack the inner zip and load it", shown
        )
    else:
        return True
    return False


def _is_small(
    info: zipfile.ZipInfo, path: str, problems: Problems, limits: Limits, max_bytes: int
) -> bool:
    too_dense = info.file_size > limits.ratio_from_bytes and info.file_size > limits.ratio * max(
        info.compress_size, 1
    )
    if info.file_size > max_bytes:
        problems.error("A3", f"{info.file_size} bytes", f"{max_bytes} at most", path)
    elif too_dense:
        problems.error(
            "A3",
            f"{info.file_size} bytes packed into {info.compress_size}",
            f"at most {limits.ratio} times as many",
            path,
        )
    else:
        return True
    return False


def _content(
    archive: zipfile.ZipFile, member: Member, problems: Problems, max_bytes: int
) -> bytes | None:
    try:
        plain = plain_content(archive, member.info, max_bytes)
        if plain is not None:
            return plain
        with archive.open(member.info) as stream:
            # The size in the directory may lie; the limit does not.
            content = stream.read(max_bytes + 1)
    except _DAMAGE as fault:
        reason = visible(str(fault))[:200]
        problems.error("A1", f"a damaged entry ({reason})", "an entry that unpacks", member.path)
        return None
    if len(content) > max_bytes:
        problems.error("A3", "more bytes than it says", f"{max_bytes} at most", member.path)
        return None
    if content.startswith(_LOCAL_SIGNATURE):
        problems.error(
            "A2",
            "an archive inside the archive",
            "files; unpack the inner zip and load it",
            member.path,
        )
        return None
    return content


def plain_content(archive: zipfile.ZipFile, info: zipfile.ZipInfo, max_bytes: int) -> bytes | None:
    """Return the bytes of a well-formed entry; None leaves it to the slower, careful reader.

    A result set has hundreds of small entries, and opening a stream for each takes most of the
    time.
    """
    file = archive.fp
    is_plain = info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
    if file is None or not is_plain or info.flag_bits & ~_PLAIN_FLAGS:
        return None
    if max(info.file_size, info.compress_size) > max_bytes:
        return None
    file.seek(info.header_offset)
    header = file.read(_LOCAL_HEADER)
    if len(header) < _LOCAL_HEADER or not header.startswith(_LOCAL_SIGNATURE):
        return None
    flags, n_name, n_extra = _OF_HEADER.unpack(header)
    name = file.read(n_name)
    if flags != info.flag_bits or name != info.orig_filename.encode(
        "utf-8" if flags & _UTF8_NAME or info.orig_filename.isascii() else "cp437"
    ):
        return None
    file.seek(n_extra, 1)
    packed = content = file.read(info.compress_size)
    if info.compress_type == zipfile.ZIP_DEFLATED:
        unpacking = zlib.decompressobj(-zlib.MAX_WBITS)
        content = unpacking.decompress(packed, max_bytes + 1)
        if not unpacking.eof or unpacking.unused_data:
            return None
    is_whole = len(packed) == info.compress_size and len(content) == info.file_size
    if not is_whole or zlib.crc32(content) != info.CRC or content.startswith(_LOCAL_SIGNATURE):
        return None
    return content
