"""What a file probably is, from its name and a look inside."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from .archives import Limits, OpenArchive, Source, first_bytes, open_archive, source_name
from .problems import Problems, counted, quoted
from .rrc import guess_line_format

GuessedKind = Literal["images", "truth", "results", "scores"]
_PICTURES: Final = (".jpg", ".jpeg", ".png", ".webp")
_N_LOOKED_AT: Final = 20
_N_LINES: Final = 50
_MAX_METHOD: Final = 120
_PREFIXES: Final = re.compile(r"\A(?:res|results?|det|detections?|submit|submission)[\s_.-]+", re.I)
_SUFFIXES: Final = re.compile(r"[\s_.-]+(?:res|results?|det|detections?|submit|submission)\Z", re.I)
_EXTENSIONS: Final = re.compile(r"(?:\.(?:zip|json|csv|xml|txt))+\Z", re.I)
_TRUTH_NAME: Final = re.compile(
    r"(?:\A|[\s_.-])(?:gt|ground[\s_-]*truth|truth|annotations?)(?:[\s_.-]|\Z)", re.I
)


@dataclass(frozen=True, slots=True)
class Guess:
    """What a file probably is.

    Attributes
    ----------
    kind : "images", "truth", "results", "scores" or None
    format : str or None
        A key of ``reading.FORMATS``, or "csv" or "json" for scores.
    method : str or None
        The name of the method, from the file's; None where it is no result set.
    reason : str
        Why, in one sentence.
    """

    kind: GuessedKind | None
    format: str | None
    method: str | None
    reason: str


def guess(source: Source, name: str | None = None) -> Guess:
    """Guess kind, format and method of a file; never raises for any bytes."""
    name = source_name(source, name)
    begin = first_bytes(source, 4096)
    if not begin:
        return Guess(None, None, None, f"{quoted(name)} is empty or cannot be read.")
    if begin.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _guess_zip(source, name)
    return Guess(None, None, None, f"{quoted(name)} is of no known format.")


def method_name(name: str) -> str | None:
    """Return the method that a file of results is probably of: its name without what they share."""
    stem = _EXTENSIONS.sub("", name)
    for pattern in (_PREFIXES, _SUFFIXES):
        stem = pattern.sub("", stem)
    stem = stem.strip(" _.-")[:_MAX_METHOD]
    return stem if stem and stem.isprintable() else None


def _guess_zip(source: Source, name: str) -> Guess:
    problems = Problems(name)
    with open_archive(source, problems, Limits()) as archive:
        names = [member.name.lower() for member in archive.members]
        if not names:
            reason = problems.found[0].found if problems.found else "no file in it"
            return Guess(None, None, None, f"{quoted(name)} cannot be used: {reason}.")
        n_pictures = sum(member.endswith(_PICTURES) for member in names)
        if 2 * n_pictures > len(names):
            reason = (
                f"{n_pictures} of {counted(len(names), 'file')} are photographs by their names."
            )
            return Guess("images", None, None, reason)
        return _guess_texts(archive, name, names)


def _guess_texts(archive: OpenArchive, name: str, names: Sequence[str]) -> Guess:
    prefixes = Counter(member.split("_")[0] for member in names if member.endswith(".txt"))
    n_truth, n_results = prefixes["gt"] + prefixes["poly"], prefixes["res"]
    lines = _some_lines(archive)
    if n_results > n_truth:
        line_format = guess_line_format(lines, "results")
        reason = f"{n_results} of {counted(len(names), 'file')} are named res_….txt."
        return Guess("results", line_format.value, method_name(name), reason)
    if n_truth:
        line_format = guess_line_format(lines)
        reason = f"{n_truth} of {counted(len(names), 'file')} are named gt_….txt."
        return Guess("truth", line_format.value, None, reason)
    return Guess(None, None, None, f"{quoted(name)} holds files of no known format.")


def _some_lines(archive: OpenArchive) -> list[str]:
    texts = [member for member in archive.members if member.name.endswith(".txt")]
    lines: list[str] = []
    for member in texts[:_N_LOOKED_AT]:
        content = archive.content(member)
        if content is not None:
            found = content.decode(errors="replace").replace("\r", "").split("\n")
            lines += [line for line in found if line.strip()][:_N_LINES]
    return lines
