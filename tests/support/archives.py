"""Zips for tests, good and bad, made in memory."""

import io
import stat
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from PIL import Image as Picture


def zip_bytes(entries: Mapping[str, str | bytes] | Iterable[tuple[str, str | bytes]]) -> bytes:
    """Return a zip; equal entries give equal bytes at any time."""
    pairs = entries.items() if isinstance(entries, Mapping) else entries
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in pairs:
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def zip_file(path: Path, entries) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(zip_bytes(entries))
    return path


def link_zip() -> bytes:
    """Return a zip whose entry is a symbolic link."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        info = zipfile.ZipInfo("gt_img_1.txt")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    return stream.getvalue()


def encrypted_zip() -> bytes:
    """Return a zip whose entry is marked as encrypted (bit 0 of its flags, in both headers)."""
    content = bytearray(zip_bytes({"gt_img_1.txt": "0,0,9,9,word"}))
    content[content.index(b"PK\x03\x04") + 6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    return bytes(content)


def damaged_zip() -> bytes:
    """Return a zip whose first entry does not match its checksum."""
    content = bytearray(zip_bytes({"gt_img_1.txt": "0,0,9,9,word\n" * 50}))
    content[content.index(b"PK\x03\x04") + 50] ^= 0xFF
    return bytes(content)


def picture_bytes(width: int = 120, height: int = 60, kind: str = "PNG") -> bytes:
    stream = io.BytesIO()
    Picture.new("RGB", (width, height), "#887766").save(stream, kind)
    return stream.getvalue()
