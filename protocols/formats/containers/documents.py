"""Files that hold many images at once, bare or in a zip, as text, JSON or XML."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

from ..problems import PASSED_OVER, Fault, Problems, quoted, visible
from .archives import Limits, open_archive
from .contents import OnEntry
from .files import Source, first_bytes, read_whole

MARK: Final = b"\xef\xbb\xbf"
UTF_16: Final = "UTF-16"
_UTF16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")
# Suffixes of pictures, also of those that are not read.
PICTURES: Final = (
    *(".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".tif", ".tiff"),
    *(".avif", ".heic", ".heif"),
)
_PICTURE: Final = re.compile(
    rf"(.+)(?:{'|'.join(map(re.escape, PICTURES))})\Z", re.IGNORECASE | re.DOTALL
)
_HIGH: Final = re.compile(rb"[\x80-\xff]+")
_UNSAFE: Final = re.compile("[\0\ud800-\udfff]")
# Names that engines give to a picture without a path.
_NO_NAME: Final = re.compile(r"(?:unknown|-|stdin|tess_\w+_input)?\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Document:
    """A file that was read as a whole, and its faults; ``entry`` is None if it is not part of a zip."""

    entry: str | None
    stem: str
    content: bytes
    problems: Problems


def documents(
    source: Source,
    problems: Problems,
    limits: Limits,
    suffixes: str | tuple[str, ...],
    on_entry: OnEntry | None = None,
) -> Iterator[Document]:
    """Yield the documents of a zip one by one, or a bare file as the only one.

    Entries without one of the suffixes, in lower case, are ignored with a warning. ``on_entry`` is
    called with the number of finished documents and of all.
    """
    suffix = suffixes if isinstance(suffixes, str) else suffixes[0]
    expected = f"a {suffix} file, or a zip of such files"
    if not first_bytes(source, 4).startswith((b"PK\x03\x04", b"PK\x05\x06")):
        content = read_whole(source, problems, limits.document_bytes, expected)
        if content is not None:
            if not content:
                problems.error("A1", "an empty file", expected)
            else:
                yield Document(None, PurePosixPath(problems.archive).stem, content, problems)
            if on_entry is not None:
                on_entry(1, 1)
        return
    with open_archive(source, problems, limits, max_bytes=limits.document_bytes) as archive:
        fitting = [of for of in archive.members if of.name.lower().endswith(suffixes)]
        for member in archive.members:
            # Photographs give the sizes of images.
            if not member.name.lower().endswith(suffixes) and not _PICTURE.match(member.name):
                found = f"the name {quoted(member.name)}"
                problems.warning("N1", found, f"NAME{suffix}", member.path, action=PASSED_OVER)
        if not fitting and not problems.has_errors:
            problems.error("A1", f"no {suffix} file in it", expected)
        for done, member in enumerate(fitting, 1):
            content = archive.content(member, limits.document_bytes)
            if content is not None:
                yield Document(member.path, PurePosixPath(member.name).stem, content, problems)
            if on_entry is not None:
                on_entry(done, len(fitting))


def text_of(document: Document) -> str:
    """Return a document's text; an unusual encoding becomes a warning."""
    entry, problems = document.entry, document.problems
    text, encoding = decoded(document.content)
    if encoding == UTF_16:
        problems.warning("L9", encoding, "plain UTF-8", entry)
    elif encoding:
        problems.warning("F7", f"a text in {encoding}", "plain UTF-8", entry)
    if _UNSAFE.search(text):
        problems.warning("L9", "null characters (replaced)", "plain UTF-8", entry)
        text = storable(text)
    return text


def lines_of(document: Document) -> list[tuple[int, str]]:
    """Return the lines of a document's text that are not blank, each with its number."""
    lines = enumerate(text_of(document).split("\n"), 1)
    return [(number, line.removesuffix("\r")) for number, line in lines if line.strip()]


def decoded(content: bytes) -> tuple[str, str]:
    """Return a text without a byte order mark and its encoding, empty for UTF-8 and else perhaps a guess.

    Bytes above 127 stand alone in Western texts and in pairs in Chinese ones. No byte is lost.
    """
    if content.startswith(_UTF16_MARKS):
        return content.decode("utf-16", errors="replace"), UTF_16
    content = content.removeprefix(MARK)
    try:
        return content.decode(), ""
    except UnicodeDecodeError:
        pass
    high = _HIGH.findall(content)
    if high and all(len(run) % 2 == 0 for run in high):
        try:
            return content.decode("gb18030"), "GB 18030"
        except UnicodeDecodeError:
            pass
    try:
        return content.decode("cp1252"), "Windows-1252"
    except UnicodeDecodeError:
        return content.decode("latin-1"), "Latin-1"


def storable(text: str) -> str:
    """Return a text that every database and every encoding can hold."""
    return _UNSAFE.sub("\N{REPLACEMENT CHARACTER}", text)


def image_name(text: str) -> str:
    """Return the name of an image: the base name of its file, without a picture suffix."""
    name = storable(text).replace("\\", "/").rpartition("/")[2]
    match = _PICTURE.match(name)
    return match[1] if match else name


def are_different(first: str, second: str) -> bool:
    """Return whether two paths that give an image the same name are of different files.

    A path without a folder, or without the suffix of a picture, may be that of the other.
    """
    folders, suffixes = [], []
    for path in (first, second):
        folder, _, name = storable(path).replace("\\", "/").rpartition("/")
        folders.append(folder)
        suffixes.append(name.removeprefix(image_name(name)).lower())
    return any(a != b and a and b for a, b in (folders, suffixes))


def given_name(given: str, stem: str) -> str:
    """Return the name that a document gives for its image, or its own where that is none of a file."""
    return stem if _NO_NAME.match(image_name(given)) else given


def page_name(stem: str, page: int, n_pages: int) -> str:
    """Return the name of a page's image: that of its file, with the page's number if there are several."""
    name = image_name(re.sub(r"\.pdf\Z", "", stem, flags=re.IGNORECASE))
    return name if n_pages == 1 else f"{name}_{page}"


def json_of(document: Document, *, unique: bool = False) -> Any:
    """Return the data of a JSON document; raise Fault as json_in() does, with its line."""
    text = text_of(document)
    try:
        return json_in(text, "a JSON document", unique=unique)
    except Fault as fault:
        if isinstance(cause := fault.__cause__, json.JSONDecodeError):
            start = text.rfind("\n", 0, cause.pos) + 1
            fault.line, fault.text = cause.lineno, text[start : start + 10_000].partition("\n")[0]
            fault.span = cause.pos - start, cause.pos - start + 1
        raise


def json_in(text: str, expected: str = "JSON", *, unique: bool = False) -> Any:
    """Return the data of a text in JSON; of two members of the same name, the last one counts.

    Raises Fault if it is invalid (A1), nested too deeply (A3), has a number of thousands of digits
    (L3), or, with ``unique``, an object with two members of the same name (N3).
    """
    try:
        return json.loads(text, object_pairs_hook=_unique if unique else None)
    except json.JSONDecodeError as fault:
        raise Fault("A1", f"no JSON: {visible(fault.msg)}", expected) from fault
    except RecursionError as fault:
        raise Fault("A3", "lists nested too deeply", expected) from fault
    except ValueError as fault:
        # The only other cause: an integer of thousands of digits.
        raise Fault("L3", "a number of thousands of digits", expected) from fault


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise Fault("N3", f"{quoted(twice)} twice", "each name once")
    return found
