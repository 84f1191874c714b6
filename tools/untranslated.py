"""Sentences of `protocols/` that are made and stored in English, and told again to who reads them.

Scores, findings and refusals are computed by workers and commands, kept, compared and written to files; so
their sentences are plain strings there, and nobody translates where they are made. The site recognises them
(annotate/retold.py) by what is collected here: the strings of several words, with names for their values.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

# What nobody reads on a page: commands, drawings, and files that are written.
_SILENT: Final = (
    "command_line",
    "core/drawing.py",
    "formats/readers/scenes.py",
    "performance.py",
    "torch.py",
    *("coco.py", "plugins.py", "slot_error/documents.py", "slot_error/ontology.py"),
    *("slot_error/bionlp.py", "no_ground_truth/votes.py", "no_ground_truth/drawn.py"),
)
_SEVERAL: Final = re.compile(r"[^\W\d_]{2,}[,;:”’]? \(?[\w“]")
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_MARKUP: Final = re.compile(r"</?[A-Z]?[a-z]+[ >].*\n|xmlns|font-")
# Calls whose arguments, and names whose values are said, be they of one word.
_SAYING: Final = {"error", "warning", "question", "Fault", "Variant"}
_SAID: Final = {
    "says",
    "summary",
    "as_published",
    "action",
    "NEEDED",
    "Family",
    "UNITS",
    "_WORDS",
}
_UNSAID: Final = {
    "gettext_noop",
    "ngettext_noop",
    "compile",
    "debug",
    "info",
    "warn",
    "exception",
    "cast",
}
_QUIET: Final = (ast.FunctionDef, ast.ClassDef, ast.Module)


def sentences(package: Path) -> Iterator[tuple[str, str]]:
    """Yield what the modules of a package say, of one thing and of several, with names for values."""
    for path in sorted(package.rglob("*.py")):
        inner = path.relative_to(package).as_posix()
        if not inner.startswith(_SILENT):
            yield from _of_module(ast.parse(path.read_text(encoding="utf-8")))


def _of_module(tree: ast.Module) -> Iterator[tuple[str, str]]:
    documentation = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, _QUIET)
        and ast.get_docstring(node)
        and isinstance(node.body[0], ast.Expr)
    }
    yield from _under(tree, documentation, is_said=False)


def _under(node: ast.AST, documentation: set[int], *, is_said: bool) -> Iterator[tuple[str, str]]:
    if id(node) in documentation:
        return
    if isinstance(node, ast.JoinedStr | ast.Constant):
        words = _words(node)
        wanted = _WORD if is_said else _SEVERAL
        if wanted.search(re.sub(r"\{\w+\}", "", words)) and not _MARKUP.search(words):
            yield words, ""
        # Values may be words too.
        for value in ast.walk(node):
            if isinstance(value, ast.FormattedValue):
                yield from _under(value.value, documentation, is_said=False)
        return
    if isinstance(node, ast.Call) and _name(node.func) == "counted":
        what = node.args[1]
        if isinstance(what, ast.Constant) and isinstance(what.value, str):
            yield f"{{n}} {what.value}", f"{{n}} {what.value}s"
            node.args.pop()
    for child, is_child_said in _children(node):
        yield from _under(child, documentation, is_said=is_said or is_child_said)


def _children(node: ast.AST) -> Iterator[tuple[ast.AST, bool]]:
    """Yield what stands below, and whether it is said whatever its length."""
    if isinstance(node, ast.Call):
        name = _name(node.func)
        if name in _UNSAID:
            return
        # First stands the code of a fault.
        yield from ((child, at > 0 and name in _SAYING) for at, child in enumerate(node.args))
        yield from ((each.value, each.arg in _SAID) for each in node.keywords)
    elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = {
            _name(name)
            for target in targets
            for name in ast.walk(target)
            if isinstance(name, ast.Name)
        }
        # Names of protocols are the same in every language.
        if "name" not in names:
            yield node.value, bool(names & _SAID)
    elif isinstance(node, ast.FunctionDef):
        yield from ((child, False) for child in node.body)
    else:
        yield from ((child, False) for child in ast.iter_child_nodes(node))


def _words(node: ast.JoinedStr | ast.Constant) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    names: dict[str, str] = {}
    said = ""
    for part in node.values:
        if isinstance(part, ast.Constant):
            said += str(part.value)
        elif isinstance(part, ast.FormattedValue):
            written = ast.unparse(part.value)
            if written not in names:
                plain = _plain(part.value)
                taken = sum(
                    re.fullmatch(rf"{plain}\d*", name) is not None for name in names.values()
                )
                names[written] = f"{plain}{taken + 1}" if taken else plain
            said += f"{{{names[written]}}}"
    return said


def _plain(value: ast.expr) -> str:
    """Return a name for a value, of what it is made of."""
    if isinstance(value, ast.Call):
        inner = [
            arg for arg in value.args if isinstance(arg, ast.Name | ast.Attribute | ast.Subscript)
        ]
        if _name(value.func) == "hint":
            return "hint"
        return "n" if _name(value.func) == "len" else _plain(inner[-1]) if inner else "value"
    if isinstance(value, ast.Subscript):
        return _plain(value.value)
    name = _name(value).strip("_").lower()
    return name or "value"


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
