"""Photographs turned by their EXIF orientation, to upright pixels without tags."""

import io
from typing import Any, Final

from PIL import Image as Picture

# Formats that browsers display. The JPEG reader also detects MPO: several JPEGs in one file, written
# by some cameras.
FORMATS: Final = ("JPEG", "PNG", "WEBP")
_TURNS: Final = {
    2: Picture.Transpose.FLIP_LEFT_RIGHT,
    3: Picture.Transpose.ROTATE_180,
    4: Picture.Transpose.FLIP_TOP_BOTTOM,
    5: Picture.Transpose.TRANSPOSE,
    6: Picture.Transpose.ROTATE_270,
    7: Picture.Transpose.TRANSVERSE,
    8: Picture.Transpose.ROTATE_90,
}
# Properties of pixels that are kept; all other tags are not.
_KEPT: Final = ("icc_profile", "transparency")
_QUALITY: Final = 95


def turned(picture: Picture.Image, orientation: int) -> Picture.Image:
    """Return the picture that browsers show for this orientation."""
    return picture if orientation == 1 else picture.transpose(_TURNS[orientation])


def upright(content: bytes, orientation: int) -> bytes:
    """Return a photograph's file as one of upright pixels; without a turn, unchanged."""
    if orientation == 1:
        return content
    out = io.BytesIO()
    with Picture.open(io.BytesIO(content), formats=FORMATS) as picture:
        options: dict[str, Any] = {"JPEG": {"quality": _QUALITY, "subsampling": 0}, "PNG": {}}.get(
            kind := "JPEG" if picture.format == "MPO" else picture.format or "",
            {"quality": _QUALITY, "lossless": b"VP8L" in content[:64]},
        )
        options |= {name: picture.info[name] for name in _KEPT if name in picture.info}
        shown = turned(picture, orientation)
    shown.info.clear()
    shown.save(out, kind, **options)
    return out.getvalue()
