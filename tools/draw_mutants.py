"""Candidates for tools/mutants.json: small faults drawn from a seed, in the order of the draw.

    python tools/draw_mutants.py --seed 10 --count 8 protocols/iou.py protocols/tiou.py

A person takes the first one that changes what the program does, and freezes it in the table.
"""

import argparse
import ast
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

_COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
}
_ARITHMETIC: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
}
_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any", "filter": "exclude"}
_SCRIPT = [
    ("<=", "<"),
    (">=", ">"),
    (" < ", " <= "),
    (" > ", " >= "),
    (" + ", " - "),
    (" - ", " + "),
]
_SCRIPT += [("===", "!=="), ("!==", "==="), ("&&", "||"), ("||", "&&"), (" * ", " / ")]

# An edit of a source: its start and end, and the replacement.
Edit = tuple[int, int, str]


class _Source:
    """A Python source with the places of its nodes as offsets."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0]
        for line in text.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a place that ast gives in bytes of UTF-8."""
        start = self._starts[line - 1]
        encoded = self.text[start : self._starts[line]].encode()
        return start + len(encoded[:column].decode())

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Return the offsets at which a node begins and ends."""
        start = self.offset(node.lineno, node.col_offset)
        # The parser always gives both ends; only nodes made by hand lack them.
        return start, self.offset(node.end_lineno or node.lineno, node.end_col_offset or 0)

    def between(self, left: ast.expr, right: ast.expr, old: str, new: str) -> Edit | None:
        """Return the edit of the operator between two operands."""
        start, end = self.span(left)[1], self.span(right)[0]
        place = re.search(rf"(?<!\w){re.escape(old)}(?!\w)|{re.escape(old)}", self.text[start:end])
        return (start + place.start(), start + place.end(), new) if place else None


def _python_edits(text: str) -> Iterator[tuple[str, Edit]]:
    """Yield the operator and the edit of each small fault that a Python source could have."""
    source, tree = _Source(text), ast.parse(text)
    # strict=True, frozen=True: a wrong one changes nothing as long as all goes well.
    options = {id(word.value) for node in ast.walk(tree) for word in getattr(node, "keywords", [])}
    for node in ast.walk(tree):
        edit: Edit | None = None
        if id(node) in options:
            continue
        if isinstance(node, ast.Compare):
            right = node.comparators[0]
            edit = source.between(node.left, right, *_COMPARISONS[type(node.ops[0])])
        elif isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
            edit = source.between(node.left, node.right, *_ARITHMETIC[type(node.op)])
        elif isinstance(node, ast.BoolOp):
            words = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
            edit = source.between(node.values[0], node.values[1], *words)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            edit = (source.span(node)[0], source.span(node.operand)[0], "")
        elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
            edit = (*source.span(node), str(not node.value))
        elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            edit = (*source.span(node), repr(node.value + 1))
        elif isinstance(node, ast.Return) and node.value is not None:
            edit = (*source.span(node.value), "None")
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            edit = (*source.span(node), "pass")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            end = source.span(node.func)[1]
            edit = (end - len(name), end, _CALLS[name]) if name in _CALLS else None
        if edit and text[edit[0] : edit[1]] != edit[2]:
            yield type(node).__name__, edit


def _script_edits(text: str) -> Iterator[tuple[str, Edit]]:
    """Yield the edits of a JavaScript source, operator by operator, outside its comments."""
    for old, new in _SCRIPT:
        for place in re.finditer(re.escape(old), text):
            line = text[text.rfind("\n", 0, place.start()) + 1 : place.start()]
            if "//" not in line and not line.lstrip().startswith("*"):
                yield old.strip(), (place.start(), place.end(), new)


def candidates(path: Path) -> Iterator[dict[str, str]]:
    """Yield each mutant of a source as the lines it touches, before and after."""
    text = path.read_text()
    edits = _python_edits(text) if path.suffix == ".py" else _script_edits(text)
    for operator, (start, end, new) in edits:
        first = text.rfind("\n", 0, start) + 1
        last = text.find("\n", end)
        yield {
            "operator": operator,
            "from": path.as_posix(),
            "old": text[first:last].strip(),
            "new": (text[first:start] + new + text[end:last]).strip(),
        }


def draw(mutants: list[dict[str, str]], count: int, seed: int) -> list[dict[str, str]]:
    """Return mutants without repetition; first the operator is drawn, so that rare ones count."""
    rng = random.Random(seed)
    left: dict[str, list[dict[str, str]]] = {}
    for mutant in rng.sample(mutants, len(mutants)):
        left.setdefault(mutant["operator"], []).append(mutant)
    drawn: list[dict[str, str]] = []
    while left and len(drawn) < count:
        operator = rng.choice(sorted(left))
        drawn.append(left[operator].pop())
        if not left[operator]:
            del left[operator]
    return drawn


def main() -> None:
    """Print candidates drawn from the given sources."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("sources", nargs="+", type=Path)
    parser.add_argument("--seed", type=int, default=10)
    parser.add_argument("--count", type=int, default=8)
    options = parser.parse_args()
    every = [mutant for source in options.sources for mutant in candidates(source)]
    print(json.dumps(draw(every, options.count, options.seed), indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
