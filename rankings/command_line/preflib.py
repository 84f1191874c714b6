"""Rankings as files of PrefLib, which programs for social choice read ([MW13]_)."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from text_rankings.base.names import natural_order

from ..elicitation.log import CRITERIA
from ..errors import RankingError
from ..orders.buckets import Ranking, methods_of

# Strict orders and orders with ties, of all alternatives or of some.
SUFFIXES: Final = (".soc", ".soi", ".toc", ".toi")
NAMELESS: Final = "PrefLib names no annotators; each ranking counts as that of another person"
UNTITLED: Final = "preference"
_GROUP: Final = re.compile(r"\{([\d,]+)\}|(\d+)")
_ORDER: Final = re.compile(r"(?:(?:\{\d+(?:,\d+)*\}|\d+),)+")
_NAME: Final = re.compile(r"# ALTERNATIVE NAME (\d+): (.*)")


def is_preflib(path: str) -> bool:
    """Return whether a path is that of a file of PrefLib, or of a folder."""
    return path.endswith(SUFFIXES) or Path(path).is_dir()


def rows_of_preflib(path: str) -> list[tuple[int, dict[str, Any]]]:
    """Return numbered rows with image, annotator, criterion and buckets, one for each voter.

    A folder has files of PrefLib at any depth. An image is named by a file's title, else by the file; the
    criterion is its description, or preference if that is none. The format names no voters: their
    names, "file: 1" and so on, are different ones in each file. Raises RankingError if a file cannot
    be read or is not consistent; the message names file and line.
    """
    folder = Path(path)
    files = [folder]
    if folder.is_dir():
        files = sorted(of for of in folder.rglob("*") if of.suffix in SUFFIXES)
        if not files:
            raise RankingError(f"{path} has no file of PrefLib ({', '.join(SUFFIXES)})")
    return [*enumerate((row for file in files for row in _rows(file)), 1)]


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except OSError as fault:
        raise RankingError(f"{file} cannot be read: {fault.strerror}") from fault
    except UnicodeDecodeError as fault:
        raise RankingError(f"{file} is no file of PrefLib: {fault}") from fault
    head: dict[str, str] = {}
    names: dict[str, str] = {}
    n_voters = n_orders = 0
    for at, line in enumerate(lines, 1):
        place = f"{file}, line {at}"
        if line.startswith("#"):
            if found := _NAME.fullmatch(line.rstrip()):
                names[found[1]] = found[2].strip()
            else:
                key, _, value = line[1:].partition(":")
                head[key.strip()] = value.strip()
            continue
        if not line.strip():
            continue
        times, order = _order(line, names, place)
        n_orders += 1
        for _ in range(times):
            n_voters += 1
            yield {
                "image": head.get("TITLE") or file.stem,
                "annotator": f"{file.name}: {n_voters}",
                "criterion": _criterion(head),
                "buckets": order,
            }
    for key, n in (
        ("ALTERNATIVES", len(names)),
        ("VOTERS", n_voters),
        ("UNIQUE ORDERS", n_orders),
    ):
        stated = head.get(f"NUMBER {key}")
        if stated != f"{n}":
            raise RankingError(f"{file} states NUMBER {key} {stated}, and has {n}")


def _criterion(head: dict[str, str]) -> str:
    described = head.get("DESCRIPTION", "")
    return described if described in CRITERIA else UNTITLED


def _order(line: str, names: dict[str, str], place: str) -> tuple[int, list[list[str]]]:
    """Return how often a line's order was given, and its buckets."""
    times, _, text = "".join(line.split()).partition(":")
    if not times.isdecimal() or not _ORDER.fullmatch(f"{text},"):
        raise RankingError(f"{place}: expected an order such as 2: 1,{{2,3}}")
    try:
        return int(times), [
            [names[number] for number in (tied or single).split(",")]
            for tied, single in _GROUP.findall(text)
        ]
    except KeyError as fault:
        raise RankingError(f"{place}: there is no ALTERNATIVE NAME {fault.args[0]}") from fault


def text_of_preflib(rankings: Sequence[Ranking], image: str, criterion: str, name: str) -> str:
    """Return a file of PrefLib without its data type's suffix; the line DATA TYPE has it.

    Alternatives are numbered in natural order of their names, orders by how many gave them. Raises
    RankingError if a name has a line break, or the names of two are the same without outer spaces.
    """
    methods = sorted({of for ranking in rankings for of in methods_of(ranking)}, key=natural_order)
    for text in (image, *methods):
        if text != text.strip() or len(text.splitlines()) > 1:
            raise RankingError(f"PrefLib cannot hold the name {text!r}")
    number = {method: at for at, method in enumerate(methods, 1)}
    numbered = Counter(
        tuple(tuple(sorted(map(number.__getitem__, bucket))) for bucket in ranking)
        for ranking in rankings
    )
    kind = f"{'t' if any(len(of) > 1 for own in numbered for of in own) else 's'}o"
    kind += "c" if all(len(methods_of(own)) == len(methods) for own in rankings) else "i"
    head = {
        "FILE NAME": f"{name}.{kind}",
        "TITLE": image,
        "DESCRIPTION": criterion,
        "DATA TYPE": kind,
        "MODIFICATION TYPE": "original",
        "RELATES TO": "",
        "RELATED FILES": "",
        "PUBLICATION DATE": "",
        "MODIFICATION DATE": "",
        "NUMBER ALTERNATIVES": len(methods),
        "NUMBER VOTERS": len(rankings),
        "NUMBER UNIQUE ORDERS": len(numbered),
        **{f"ALTERNATIVE NAME {at}": method for method, at in number.items()},
    }
    lines = [f"# {key}: {value}" for key, value in head.items()]
    for order, times in sorted(numbered.items(), key=lambda of: (-of[1], of[0])):
        buckets = [",".join(map(str, of)) for of in order]
        shown = [f"{{{text}}}" if "," in text else text for text in buckets]
        lines.append(f"{times}: {','.join(shown)}")
    return "\n".join(lines) + "\n"
