"""The entries of a bundle: unpacked, checked against their checksums, and read line by line."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db import DatabaseError

from annotate.imports.errors import NotLoaded
from protocols.core.errors import ProtocolError
from protocols.formats.containers.archives import Limits, read_entries
from protocols.formats.containers.files import Source, source_name
from protocols.formats.problems import Problems, quoted

from . import CHECKSUMS, FORMAT, LISTS, MANIFEST, PHOTOGRAPHS, SINGLE, VERSION
from .records import Row, from_json, store

_MIB: Final = 1024 * 1024
# Photographs may be large; all other entries have the default limit of archives.
_LIMITS: Final = Limits(entry_bytes=200 * _MIB, total_bytes=20 * 1024**3)
_MAX_BYTES: Final = Limits().entry_bytes
_PART: Final = re.compile(rf"({'|'.join(LISTS)})-(\d{{4,}})\.jsonl", re.ASCII)
PHOTOGRAPH: Final = re.compile(rf"{PHOTOGRAPHS}([0-9a-f]{{64}})", re.ASCII)
_SUM: Final = re.compile(r"([0-9a-f]{64})  (\S+)", re.ASCII)
_FAULTS: Final = (
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    IndexError,
    OverflowError,
    RecursionError,
    ValidationError,
    ProtocolError,
    DatabaseError,
)


@dataclass(frozen=True, slots=True)
class Member:
    """An unpacked entry. Its file name is a number, never its name in the zip."""

    path: Path
    sha256: str

    def read(self) -> bytes:
        return self.path.read_bytes()


@dataclass(frozen=True)
class Bundle:
    """The entries of a bundle by name, its manifest, and the number of rows read so far."""

    members: Mapping[str, Member]
    manifest: Mapping[str, Any]
    counts: Counter[str] = field(default_factory=Counter)

    def json(self, name: str) -> dict[str, Any]:
        content = from_json(self.members[name].read())
        if not isinstance(content, dict):
            raise TypeError("it holds no object")
        return content

    def parts(self, name: str) -> list[str]:
        """Return the names of a list's parts in order."""
        matches = [match for match in map(_PART.fullmatch, self.members) if match]
        numbered = sorted((int(match[2]), match[0]) for match in matches if match[1] == name)
        return [part for _, part in numbered]

    def lines(self, part: str) -> Iterator[tuple[int, dict[str, Any]]]:
        for number, line in enumerate(self.members[part].read().splitlines(), 1):
            with reading(part, number):
                row = from_json(line)
                if not isinstance(row, dict):
                    raise TypeError("it holds no object")
            yield number, row

    def count(self, *names: str) -> None:
        """Count the rows of lists that are not loaded."""
        for name in names:
            self.counts[name] += sum(1 for part in self.parts(name) for _ in self.lines(part))

    def load(
        self,
        name: str,
        made: Callable[[dict[str, Any]], Row],
        then: Callable[[list[Row]], object] = len,
    ) -> None:
        """Store the rows that are made of the lines of a list; ``then`` gets those of each part."""
        for part in self.parts(name):
            rows = []
            for number, row in self.lines(part):
                with reading(part, number):
                    rows.append(made(row))
            with reading(part):
                store(rows)
            self.counts[name] += len(rows)
            then(rows)


def read_bundle(source: Source, folder: Path) -> Bundle:
    """Unpack a bundle into the folder. Raises NotLoaded if its version or an entry is invalid."""
    members = _unpacked(source, folder)
    manifest = _manifest(members)
    _check_sums(members)
    return Bundle(members, manifest)


def _unpacked(source: Source, folder: Path) -> dict[str, Member]:
    problems = Problems(source_name(source))
    members: dict[str, Member] = {}
    for entry in read_entries(source, problems, _LIMITS):
        name, is_photograph = entry.path, bool(PHOTOGRAPH.fullmatch(entry.path))
        if not (is_photograph or name in (*SINGLE, CHECKSUMS) or _PART.fullmatch(name)):
            raise NotLoaded(f"{quoted(name)} does not belong into a bundle.")
        if name in members:
            raise NotLoaded(f"{name} is in the bundle twice.")
        if not is_photograph and len(entry.content) > _MAX_BYTES:
            raise NotLoaded(f"{name} is larger than {_MAX_BYTES // _MIB} MiB.")
        path = folder / str(len(members))
        path.write_bytes(entry.content)
        members[name] = Member(path, sha256(entry.content).hexdigest())
    if problems.has_errors:
        raise NotLoaded.because_of(problems.found)
    return members


def _manifest(members: Mapping[str, Member]) -> Mapping[str, Any]:
    if MANIFEST not in members:
        raise NotLoaded(f"This is no bundle of a study: {MANIFEST} is missing.")
    with reading(MANIFEST):
        manifest: dict[str, Any] = from_json(members[MANIFEST].read())
        if manifest["format"] != FORMAT:
            raise NotLoaded(f"This is no bundle of a study but {quoted(str(manifest['format']))}.")
        if manifest["version"] != VERSION:
            raise NotLoaded(
                f"The bundle is of version {quoted(str(manifest['version']))}; this site reads "
                f"version {VERSION} alone."
            )
    return manifest


def _check_sums(members: Mapping[str, Member]) -> None:
    if CHECKSUMS not in members:
        raise NotLoaded(f"{CHECKSUMS} is missing.")
    listed = {}
    with reading(CHECKSUMS):
        for line in members[CHECKSUMS].read().decode().splitlines():
            match = _SUM.fullmatch(line)
            if match is None:
                raise ValueError(f"{quoted(line)} is no checksum")
            listed[match[2]] = match[1]
    for name in (*SINGLE, *listed):
        if name not in members:
            raise NotLoaded(f"{quoted(name)} is missing.")
    for name, member in members.items():
        if name == CHECKSUMS:
            continue
        if name not in listed:
            raise NotLoaded(f"{name} has no checksum.")
        if listed[name] != member.sha256:
            raise NotLoaded(f"{name} has changed: it does not fit its checksum.")


@contextmanager
def reading(name: str, line: int | None = None) -> Iterator[None]:
    """Turn any error from a damaged part into a NotLoaded that names the part and the line."""
    try:
        yield
    except _FAULTS as fault:
        place = name if line is None else f"{name}, line {line}"
        what = f"{fault} is missing or unknown" if isinstance(fault, KeyError) else str(fault)
        what = " ".join(what.split()).rstrip(".") or type(fault).__name__
        raise NotLoaded(f"{place} cannot be used: {what}.") from fault


def checked_list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(f"{quoted(str(value))} is no list")
    return value
