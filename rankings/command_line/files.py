"""Tables in CSV and JSON, scores, and the standings of detectors as text."""

import csv
import io
import json
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, Final, TextIO

import numpy as np

from text_rankings.base.counts import some_of
from text_rankings.base.options import prose

from ..agreement.report import RecallPrecision
from ..analysis.detector_verdicts import beside_figures, preferred
from ..detectors.tallies import N_PARTS, Tallies, parts_of_score
from ..elicitation.pairs import text_of
from ..errors import RankingError
from ..orders.from_scores import require_fraction
from ..output.detector_tables import detector_tables
from ..output.table import as_columns
from .preflib import is_preflib, rows_of_preflib

# The name of the image in rows for all images together.
ALL_IMAGES: Final = "*"
_SCORE_COLUMNS: Final = ("protocol", "method", "image", "recall", "precision")
# So many images are named of those that are left out for one reason.
_NAMED: Final = 5
# Image, protocol and method; their place in words; recall and precision; the row.
_Score = tuple[tuple[str, str, str], str, RecallPrecision, Mapping[str, Any]]
_SUM_COLUMNS: Final = ("recalled", "n_truth", "precise", "n_detections")
_NUMBERS: Final = (*_SCORE_COLUMNS[3:], *_SUM_COLUMNS)


def read_scores(path: str) -> Tallies:
    r"""Return the sums in a file of scores; rows without sums are given by recall and precision.

    Raises RankingError if the file is unreadable, a value is not a number, or a score is repeated;
    the message names the file and the line.
    """
    parts: dict[tuple[str, str, str], tuple[float, ...]] = {}
    for cell, place, both, row in _scores_in(rows_of(path, _SCORE_COLUMNS), f"{path}, line"):
        sums = [_number(row.get(name), f"{place}: {name}") for name in _SUM_COLUMNS]
        known = tuple(value for value in sums if value is not None)
        parts[cell] = known if len(known) == N_PARTS else parts_of_score(*both)
    # In order of occurrence, except for methods, which are sorted by name as in rankings.
    images, protocols = (list(dict.fromkeys(cell[at] for cell in parts)) for at in (0, 1))
    methods = sorted({cell[2] for cell in parts})
    places = [{name: at for at, name in enumerate(names)} for names in (images, protocols, methods)]
    shape = len(images), len(protocols), len(methods)
    table, is_scored = np.zeros((*shape, N_PARTS)), np.zeros(shape, dtype=bool)
    for names, own in parts.items():
        at = tuple(place[name] for place, name in zip(places, names, strict=True))
        table[at], is_scored[at] = own, True
    return Tallies(tuple(images), tuple(protocols), tuple(methods), table, is_scored)


def read_plain_scores(
    path: str,
) -> dict[str, dict[str, dict[str, RecallPrecision]]]:
    r"""Return recall and precision of a file of scores: image -> protocol -> method -> both.

    Raises RankingError as :func:`read_scores` does.
    """
    return plain_scores(rows_of(path, _SCORE_COLUMNS), f"{path}, line")


def plain_scores(
    rows: Iterable[tuple[int, Mapping[str, Any]]], place: str
) -> dict[str, dict[str, dict[str, RecallPrecision]]]:
    """Return recall and precision in numbered rows as :func:`read_plain_scores` does.

    Raises RankingError as that does; the message names the row by ``place`` and its number.
    """
    scores: dict[str, dict[str, dict[str, RecallPrecision]]] = {}
    for (image, protocol, method), _, both, _ in _scores_in(rows, place):
        scores.setdefault(image, {}).setdefault(protocol, {})[method] = both
    return scores


def _scores_in(rows: Iterable[tuple[int, Mapping[str, Any]]], place: str) -> Iterator[_Score]:
    """Yield image, protocol and method; their place in words; recall and precision; and the row."""
    seen: set[tuple[str, str, str]] = set()
    for at, row in rows:
        if missing := next((name for name in _SCORE_COLUMNS if name not in row), ""):
            raise RankingError(f"{place} {at} has no {missing}")
        cell = text_of(row["image"]), text_of(row["protocol"]), text_of(row["method"])
        if cell[0] == ALL_IMAGES:
            continue
        if not all(cell):
            raise RankingError(
                f"{place} {at} names no {('image', 'protocol', 'method')[cell.index('')]}"
            )
        name = f"{place} {at}: {', '.join(cell)}"
        if cell in seen:
            raise RankingError(f"{name} occurs twice")
        seen.add(cell)
        recall, precision = (
            require_fraction(_number(row[key], f"{name}: {key}"), f"{name}: {key}")
            for key in ("recall", "precision")
        )
        yield cell, name, (recall, precision), row


def _said_of_images(left_out: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield a sentence for each reason for which images are left out, with the first of them."""
    images_of: dict[str, list[str]] = {}
    for image, why in left_out:
        images_of.setdefault(why, []).append(image)
    for why, images in images_of.items():
        n = "1 image is" if len(images) == 1 else f"{len(images)} images are"
        yield f"{n} left out for all methods and protocols, since {why}: {some_of(images, _NAMED)}"


def as_text(detectors: Mapping[str, Any]) -> str:
    """Return :meth:`.Detectors.to_json` as plain text: what people prefer, then tables in columns."""
    texts = []
    for criterion, own in detectors["criteria"].items():
        if said := preferred(criterion, own["preferences"]):
            lines = (said, *beside_figures(own["preferences"]))
            texts.append("".join(f"{prose(line, sys.stdout)}\n" for line in lines))
    texts += map(as_columns, detector_tables(detectors))
    for criterion, own in detectors["criteria"].items():
        texts += [f"{criterion}: {name} is left out: {why}\n" for name, why in own["left_out"]]
        texts += map(f"{criterion}: {{}}\n".format, _said_of_images(own["images_left_out"]))
        for row in own["protocols"]:
            for method, n, of in row["methods_left_out"]:
                why = f"{method}: {n} of {of} images"
                texts.append(f"{criterion}: the order of {row['protocol']} leaves out {why}\n")
        if own["people"]["reason"]:
            texts.append(f"{criterion}: {own['people']['reason']}\n")
    return "\n".join(texts) or "There is no ranking.\n"


def rows_of(path: str, needed: Sequence[str] = ()) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each row with its line; lines before the header that start with "# " are skipped.

    A file ``.json`` is a list of rows, in a file ``.jsonl`` each line is one; they are numbered from
    1. Raises RankingError if the file cannot be read, or has no such columns.
    """
    names, rows = columns_and_rows(path)
    require(path, names, needed)
    yield from rows


def columns_and_rows(path: str) -> tuple[list[str], list[tuple[int, dict[str, Any]]]]:
    """Return the columns and the numbered rows of a file as in :func:`rows_of`.

    Those of PrefLib are described there (:func:`.preflib.rows_of_preflib`). Raises RankingError if the
    file cannot be read.
    """
    if is_preflib(path):
        orders = rows_of_preflib(path)
        return [*orders[0][1]] if orders else [], orders
    if path.endswith((".json", ".jsonl")):
        records = [*enumerate(_records_of_json(path), 1)]
        return [*records[0][1]] if records else [], records
    try:
        with _opened(path) as file:
            n_read, head = 1, file.readline()
            while head.startswith("# "):
                n_read, head = n_read + 1, file.readline()
            delimiter = max(",;\t", key=head.count)
            names = next(csv.reader([head], delimiter=delimiter), [])
            reader = csv.DictReader(file, names, restval="", delimiter=delimiter)
            rows = [(n_read + reader.line_num, row) for row in reader]
    except OSError as fault:
        raise RankingError(f"{path} cannot be read: {fault.strerror}") from fault
    except (csv.Error, UnicodeDecodeError) as fault:
        raise RankingError(f"{path} is no CSV file: {fault}") from fault
    for line, row in rows:
        # Some programs add delimiters at the end.
        if any(cell.strip() for cell in row.get(None) or ()):
            raise RankingError(f"{path}, line {line} has more cells than the header")
    if delimiter != ",":
        for _, row in rows:
            row |= {name: _with_point(row[name]) for name in _NUMBERS if name in row}
    return names, [(line, {name: _unescaped(row[name]) for name in names}) for line, row in rows]


def require(path: str, names: Collection[str], needed: Sequence[str]) -> None:
    """Raise RankingError if a needed column is missing."""
    missing = [name for name in needed if name not in names]
    if missing:
        raise RankingError(f"{path} has no column {missing[0]}")


def _records_of_json(path: str) -> list[dict[str, Any]]:
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        lines = [text] if path.endswith(".json") else filter(str.strip, text.split("\n"))
        content = [json.loads(line) for line in lines]
    except OSError as fault:
        raise RankingError(f"{path} cannot be read: {fault.strerror}") from fault
    except (ValueError, RecursionError) as fault:
        raise RankingError(f"{path} is no JSON file: {fault}") from fault
    records = content[0] if path.endswith(".json") else content
    # Pages of an API hold their records in "items".
    pages = records if isinstance(records, list) else [records]
    if pages and all(
        isinstance(page, dict) and isinstance(page.get("items"), list) for page in pages
    ):
        records = [record for page in pages for record in page["items"]]
    if not isinstance(records, list) or not all(isinstance(one, dict) for one in records):
        raise RankingError(f"{path} is no list of rows")
    return records


def _opened(path: str) -> AbstractContextManager[TextIO]:
    """Open a file; ``-`` is standard input."""
    if path == "-":
        return nullcontext(io.StringIO(sys.stdin.read().removeprefix("\ufeff"), newline=""))
    return open(path, encoding="utf-8-sig", newline="")


def _unescaped(text: str) -> str:
    # Our own files put an apostrophe before text that a spreadsheet would run as a formula.
    return text[1:] if text[:1] == "'" and text[1:2] in ("=", "+", "-", "@") else text


def _with_point(text: str) -> str:
    """Return a number of a German or French spreadsheet, which has a decimal comma, with a point."""
    return text.replace(",", ".") if text.count(",") == 1 and "." not in text else text


def _number(given: Any, name: str) -> float | None:
    """Return a cell as a number; None if it is empty."""
    if given is None or given == "":
        return None
    try:
        value = np.nan if isinstance(given, bool) else float(given)
    except (TypeError, ValueError, OverflowError) as fault:
        raise RankingError(f"{name} is {given!r}, no number") from fault
    if not np.isfinite(value):
        raise RankingError(f"{name} is {given}, no finite number")
    return value
