"""Guesses of the encoding of texts that are not UTF-8, and copies of files in UTF-8."""

import io
import re
import zipfile
from collections.abc import Iterator, Mapping
from typing import BinaryIO, Final

from ..problems import Problems, quoted
from .archives import Limits, open_archive
from .documents import image_name
from .files import Source, first_bytes, read_whole

# By Python's name: the usual name, and the everyday characters. Those of East Asia are given by the
# bytes of a standard codec; of equally probable encodings, the one with the fewest comes first.
_EAST_ASIAN: Final[Mapping[str, tuple[str, str, str]]] = {
    "cp949": ("EUC-KR", "euc_kr", "[\xb0-\xc8]."),
    "euc_jp": ("EUC-JP", "euc_jp", "[\xa4\xa5\xb0-\xcf].|\xa1\xbc"),
    "cp932": ("Shift-JIS", "euc_jp", "[\xa4\xa5\xb0-\xcf].|\xa1\xbc"),
    "big5": ("Big5", "big5", "[\xa4-\xc6]."),
    "gb18030": ("GB 18030", "gb2312", "[\xb0-\xd7]."),
}
_WORD: Final = r"(?<![^\W\d_])[{0}{1}][{1}]+(?![^\W\d_])"
_WESTERN: Final[Mapping[str, tuple[str, str]]] = {
    "cp1251": ("Windows-1251", _WORD.format("А-ЯЁ", "а-яё")),
    "cp1253": ("Windows-1253", _WORD.format("Α-ΫΆΈ-Ώ", "ά-ώΐ")),
    # Accented letters are few in a row.
    "cp1252": (
        "Windows-1252",
        r"(?<![^\0-\x7f])[À-ÿŒœŠšŽžŸ‘-”–—…€£°«»¡¿©®™]{1,2}(?![^\0-\x7f])",
    ),
    # Never probable by itself, as nearly every text could also be Windows-1252.
    "cp1250": ("Windows-1250", r"(?!)"),
}
ENCODINGS: Final[Mapping[str, str]] = {
    slug: of[0] for slug, of in [*_EAST_ASIAN.items(), *_WESTERN.items()]
}
_LEAST_SHARE: Final = 0.7
_FIELD: Final = re.compile(rb'[^\s,;:"]*[\x80-\xff][^,;\r\n\t"]*')
_N_FIELDS: Final = 2000
_N_SHOWN: Final = 3
_OTHER_MARKS: Final = (b"\xff\xfe", b"\xfe\xff", b"<?xml")


def possible_encodings(source: Source, limits: Limits) -> dict[str, str]:
    """Return the encodings of the texts that are not UTF-8, the most probable first, with samples.

    If no encoding is probable, all in which the texts can be read are returned.
    """
    found: dict[bytes, None] = {}
    for _, content in _contents(source, limits):
        if _is_other(content):
            found |= dict.fromkeys(_FIELD.findall(content))
        if len(found) >= _N_FIELDS:
            break
    joined = b"\n".join(list(found)[:_N_FIELDS])
    shares: dict[str, float] = {}
    samples: dict[str, str] = {}
    for slug in ENCODINGS:
        try:
            text = joined.decode(slug)
        except UnicodeDecodeError:
            continue
        shares[slug] = _everyday_share(text, slug)
        samples[slug] = quoted(", ".join(text.split("\n")[:_N_SHOWN]))
    order = sorted(shares, key=lambda slug: -shares[slug])
    likely = [slug for slug in order if shares[slug] >= _LEAST_SHARE]
    return {slug: samples[slug] for slug in likely or order}


def _everyday_share(text: str, slug: str) -> float:
    """Return the share of the characters beyond ASCII that are frequent in texts of an encoding."""
    others = [char for char in text if not char.isascii()]
    if slug in _WESTERN:
        n = sum(map(len, re.findall(_WESTERN[slug][1], text)))
    else:
        _, codec, pattern = _EAST_ASIAN[slug]
        others = [char for char in others if char.isalpha() or not char.isprintable()]
        written = (char.encode(codec, "ignore").decode("latin-1") for char in others)
        n = sum(re.fullmatch(pattern, of, re.DOTALL) is not None for of in written)
    return n / len(others) if others else 0


def in_utf8(source: Source, encoding: str, limits: Limits) -> BinaryIO:
    """Return a copy of a zip or bare file whose texts are UTF-8; those that do not fit stay as they are."""
    copy = io.BytesIO()
    if not _is_zip(source):
        copy.writelines(_recoded(content, encoding) for _, content in _contents(source, limits))
    else:
        with zipfile.ZipFile(copy, "w") as made:
            for path, content in _contents(source, limits):
                # Photographs count by their names only.
                copied = (
                    _recoded(content, encoding)
                    if image_name(path) == path.rpartition("/")[2]
                    else b""
                )
                made.writestr(zipfile.ZipInfo(path), copied)
    copy.seek(0)
    return copy


def _recoded(content: bytes, encoding: str) -> bytes:
    try:
        return content.decode(encoding).encode() if _is_other(content) else content
    except UnicodeDecodeError:
        return content


def _is_other(content: bytes) -> bool:
    """Return whether a content is text that is neither UTF-8 nor names its encoding."""
    if b"\0" in content or content.startswith(_OTHER_MARKS):
        return False
    try:
        content.decode()
    except UnicodeDecodeError:
        return True
    return False


def _is_zip(source: Source) -> bool:
    return first_bytes(source, 4).startswith(b"PK")


def _contents(source: Source, limits: Limits) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of the files of a zip, or of a bare file. Faults are found elsewhere."""
    problems = Problems("")
    if not _is_zip(source):
        content = read_whole(source, problems, limits.document_bytes, "")
        yield "", content or b""
        return
    with open_archive(source, problems, limits, max_bytes=limits.document_bytes) as archive:
        for member in archive.members:
            content = archive.content(member, limits.document_bytes)
            if content is not None:
                yield member.path, content
