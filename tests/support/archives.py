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


def zip_of_windows(entries: Mapping[str, str]) -> bytes:
    r"""Return a zip as packers of Windows write it, whose names may have ``\\`` between folders."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in entries.items():
            info = zipfile.ZipInfo(name)
            info.create_system = 0
            archive.writestr(info, content)
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


# The turn from an upright picture to the pixels that a camera stores with each orientation.
_STORING = {
    2: Picture.Transpose.FLIP_LEFT_RIGHT,
    3: Picture.Transpose.ROTATE_180,
    4: Picture.Transpose.FLIP_TOP_BOTTOM,
    5: Picture.Transpose.TRANSPOSE,
    6: Picture.Transpose.ROTATE_90,
    7: Picture.Transpose.TRANSVERSE,
    8: Picture.Transpose.ROTATE_270,
}
_XMP = (
    b'<x:xmpmeta xmlns:x="adobe:ns:meta/">'
    b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description '
    b'xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:Orientation="%d"/></rdf:RDF></x:xmpmeta>'
)


def stored(upright: Picture.Image, orientation: int) -> Picture.Image:
    """Return the pixels that browsers show as this picture if they have the orientation."""
    if orientation == 1:
        return upright.copy()
    return upright.transpose(_STORING[orientation])


def with_orientation(
    upright: Picture.Image, orientation: int, kind: str = "JPEG", *, by_xmp: bool = False
) -> bytes:
    """Return a picture as a camera stores it: the turn is in its EXIF block, or in XMP alone."""
    stream = io.BytesIO()
    exif = Picture.Exif()
    exif[274] = orientation
    tag = {"xmp": _XMP % orientation} if by_xmp else {"exif": exif.tobytes()}
    options = {"quality": 95, "subsampling": 0} if kind == "JPEG" else {}
    options |= {"lossless": True} if kind == "WEBP" else {}
    stored(upright, orientation).save(stream, kind, **tag, **options)
    return stream.getvalue()
