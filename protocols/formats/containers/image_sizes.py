"""Read image dimensions from file headers, to scale relative coordinates."""

import re
import struct
from pathlib import Path
from typing import Final

from ..problems import Problems
from .archives import Limits, Source, read_entries
from .documents import image_name

PICTURES: Final = (".jpg", ".jpeg", ".png", ".webp")
_MIB: Final = 1024 * 1024
# Photographs are larger than lines of text.
_LIMITS: Final = Limits(entry_bytes=200 * _MIB, total_bytes=20 * 1024 * _MIB)
# A frame of a JPEG, its length, precision, height and width; those of C4, C8 and CC are no frames.
_FRAMES: Final = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
_WITHOUT_LENGTH: Final = {0x01, *range(0xD0, 0xDA)}


def picture_size(content: bytes) -> tuple[int, int] | None:
    r"""Return width and height of a PNG, JPEG or WebP; None for any other bytes.

    Examples
    --------
    >>> picture_size(b"\x89PNG\r\n\x1a\n" + struct.pack(">8xII", 640, 480))
    (640, 480)
    """
    if content.startswith(b"\x89PNG\r\n\x1a\n") and len(content) >= 24:
        return _plausible(*struct.unpack(">II", content[16:24]))
    if content.startswith(b"\xff\xd8\xff"):
        return _jpeg_size(content)
    if content.startswith(b"RIFF") and content[8:12] == b"WEBP" and len(content) >= 30:
        return _webp_size(content)
    return None


def _plausible(width: int, height: int) -> tuple[int, int] | None:
    return (width, height) if 0 < width <= 1_000_000 and 0 < height <= 1_000_000 else None


def _jpeg_size(content: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 <= len(content):
        if content[at] != 0xFF:
            return None
        marker = content[at + 1]
        if marker in _FRAMES:
            height, width = struct.unpack(">HH", content[at + 5 : at + 9])
            return _plausible(width, height)
        if marker == 0xFF:
            at += 1
        elif marker in _WITHOUT_LENGTH:
            at += 2
        else:
            at += 2 + struct.unpack(">H", content[at + 2 : at + 4])[0]
    return None


def _webp_size(content: bytes) -> tuple[int, int] | None:
    kind = content[12:16]
    if kind == b"VP8X":
        sides = (int.from_bytes(content[at : at + 3], "little") + 1 for at in (24, 27))
        return _plausible(*sides)
    if kind == b"VP8L":
        bits = int.from_bytes(content[21:25], "little")
        return _plausible((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    if kind == b"VP8 ":
        width, height = struct.unpack("<HH", content[26:30])
        return _plausible(width & 0x3FFF, height & 0x3FFF)
    return None


def picture_sizes(source: Source) -> dict[str, tuple[int, int]]:
    r"""Return the sizes of the pictures of a zip or folder by the names of images; others are left out.

    Parameters
    ----------
    source : path or binary file

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + struct.pack(">8xII", 640, 480))
    ...     picture_sizes(folder)
    {'a': (640, 480)}
    """
    if isinstance(source, str | Path) and Path(source).is_dir():
        files = (path for path in sorted(Path(source).iterdir()) if path.is_file())
        found = (
            (path.name, picture_size(path.read_bytes())) for path in files if _is_picture(path.name)
        )
    else:
        entries = read_entries(source, Problems(""), _LIMITS)
        found = ((of.name, picture_size(of.content)) for of in entries if _is_picture(of.name))
    return {image_name(name): size for name, size in found if size is not None}


def _is_picture(name: str) -> bool:
    return re.search(r"\.(?:jpe?g|png|webp)\Z", name, re.IGNORECASE) is not None
