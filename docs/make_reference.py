"""Write the pages of docs/reference from the code: commands, Python, settings.

``--check`` writes nothing, and fails if a page differs.
"""

import argparse
import ast
import importlib
import inspect
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools.pages import row, write  # noqa: E402

FOLDER = ROOT / "docs" / "reference"
MADE = "Made from the code by `docs/make_reference.py`; a test fails where it differs.\n"
# Functions and classes that users of the libraries need first.
MODULES = {
    "text_rankings.api.scoring": ("score", "Scores"),
    "text_rankings.api.comparing": ("compare", "Comparison"),
    "text_rankings.api.ranking": ("rank", "Rankings"),
    "text_rankings.api.reporting": ("report", "Report"),
    "protocols.registry": "all",
    "protocols.core.regions": "all",
    "protocols.core.base": ("Scene", "Protocol", "ImageScore", "OverallScore", "Match", "Unmatched",
                            "parameter", "choice", "f_score"),
    "protocols.formats.recognition.reading": ("read",),
    "protocols.formats.recognition.known_formats": ("Format",),
    "protocols.command_line.batch": ("read_scenes", "score_files", "settled"),
    "protocols.scoring": ("score_methods",),
    "protocols.core.fitting": "all",
    "protocols.core.causes": ("losses",),
    "protocols.core.drawing": ("draw_scene",),
    "protocols.coco": ("Evaluation", "evaluate", "scenes_of"),
    "protocols.coco_summary": ("summarize",),
    "protocols.coco_files": ("NotCoco",),
    "protocols.torch": ("TextDetectionMetric",),
    "rankings.orders.buckets": "all",
    "rankings.consensus.rules": ("consensus_of",),
    "rankings.consensus.mean_rank": ("mean_rank",),
    "rankings.consensus.kemeny": ("kemeny",),
    "rankings.consensus.davidson": ("davidson",),
    "rankings.orders.edit_distance": ("edit_distance", "edit_script"),
    "rankings.orders.distances": ("kemeny_distance", "kendall_tau_b"),
    "rankings.orders.pairwise": ("pairwise_accuracy",),
    "rankings.orders.from_scores": ("ranking_from_scores", "f_beta"),
    "rankings.agreement.annotators": (
        *("kendall_w", "krippendorff_alpha", "image_agreements", "human_baseline"),
    ),
    "rankings.elicitation.log": ("replay", "simulate"),
    "rankings.agreement.report": ("build_report", "Settings"),
    "rankings.analysis.analysis": ("analyse",),
    "rankings.detectors.standings": ("detectors",),
    "rankings.inference.significance": ("bonferroni", "holm", "friedman_test"),
    "rankings.output.report_files": ("to_csv", "to_json", "to_latex", "to_markdown"),
}  # fmt: skip


def pages() -> dict[Path, str]:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "text_rankings.site.settings")
    return {
        FOLDER / "python.md": python_page(),
        FOLDER / "commands.md": commands_page(),
        FOLDER / "settings.md": settings_page(),
    }


def python_page() -> str:
    parts = [
        "# Python\n",
        "What is called first, from the docstrings; [by example](../library.md) shows it at work. "
        "Sources in brackets are those of `REFERENCES.md` of each package.\n",
        MADE,
    ]
    for name, wanted in MODULES.items():
        module = importlib.import_module(name)
        parts.append(f"## {name}\n\n{first_line(module)}\n")
        names = public_names(module) if wanted == "all" else wanted
        parts += [described(what, getattr(module, what)) for what in names]
    return "\n".join(parts)


def public_names(module: object) -> list[str]:
    path = Path(inspect.getsourcefile(module) or "")  # type: ignore[arg-type]  # it is a module
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kinds = ast.FunctionDef | ast.ClassDef
    return [node.name for node in tree.body if isinstance(node, kinds) and node.name[0] != "_"]


def first_line(thing: object) -> str:
    return (inspect.getdoc(thing) or "").partition("\n\n")[0].replace("\n", " ")


def described(name: str, thing: object) -> str:
    said = inspect.getdoc(thing) or ""
    if said.startswith(f"{name}("):
        said = ""  # Generated for a dataclass.
    parts = [f"### {name}\n", f"```python\n{signature(name, thing)}\n```\n", as_text(said)]
    if inspect.isclass(thing):
        methods = [
            (key, value) for key, value in vars(thing).items()
            if key[0] != "_" and inspect.isfunction(value) and value.__doc__
        ]  # fmt: skip
        parts += [
            f"`{signature(f'{name}.{key}', value)}`: {first_line(value)}\n"
            for key, value in methods
        ]
    return "\n".join(part for part in parts if part)


def signature(name: str, thing: object) -> str:
    node = ast.parse(dedent(inspect.getsource(thing))).body[0]  # type: ignore[arg-type]  # it has one
    if isinstance(node, ast.FunctionDef):
        arguments = re.sub(r"^(self|cls)(, |$)", "", ast.unparse(node.args))
        returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
        return f"{name}({arguments}){returns}"
    if not isinstance(node, ast.ClassDef):
        return name
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and item.name == "__init__":
            return f"{name}({ast.unparse(item.args).removeprefix('self, ')})"
    said = ", ".join(
        ast.unparse(_with_plain_default(item))
        for item in node.body
        if isinstance(item, ast.AnnAssign) and "ClassVar" not in ast.unparse(item.annotation)
    )
    return f"class {name}({said})" if said else f"class {name}"


def _with_plain_default(item: ast.AnnAssign) -> ast.AnnAssign:
    """Return a field of a dataclass with its default instead of the call that declares it."""
    call = item.value
    if isinstance(call, ast.Call) and ast.unparse(call.func) == "field":
        item.value = next((one.value for one in call.keywords if one.arg == "default"), call)
    return item


def as_text(said: str) -> str:
    """Return numpydoc as Markdown: titles of sections in bold, lists and examples as code."""
    if not said:
        return ""
    head, *sections = re.split(r"^(\w[\w ]*)\n-{3,}\n", said, flags=re.MULTILINE)
    parts = [plain(head)]
    for title, text in zip(sections[::2], sections[1::2], strict=True):
        language = "pycon" if title == "Examples" else "text"
        shown = plain(text) if title == "Notes" else f"```{language}\n{text.strip()}\n```\n"
        parts.append(f"**{title}**\n\n{shown}")
    return "\n".join(parts)


def plain(text: str) -> str:
    """Return text without reStructuredText markup: references, roles and double backquotes."""
    text = re.sub(r"\[(\w+)\]_", r"[\1]", text.strip())
    text = re.sub(r":\w+:`[.~]?([^`]+)`", r"`\1`", text)
    return text.replace("``", "`") + "\n"


def commands_page() -> str:
    import django

    django.setup()
    from django.core.management import get_commands, load_command_class

    from protocols.command_line.commands import _parser as protocols
    from rankings.__main__ import _parser as rankings
    from text_rankings.site.program import _parser as site

    parts = ["# Commands\n", "Three programs come with the package.\n", MADE]
    for name, parser in (
        ("text-protocols", protocols()), ("text-order", rankings()), ("text-rankings", site())
    ):  # fmt: skip
        parts.append(f"## {name}\n\n{sentence(parser.description)}\n")
        [commands] = [
            action for action in parser._actions
            if isinstance(action, argparse._SubParsersAction)
        ]  # fmt: skip
        helps = {choice.dest: choice.help for choice in commands._choices_actions}
        for command, sub in commands.choices.items():
            parts.append(
                f"### {name} {command}\n\n{sentence(helps.get(command) or sub.description)}\n"
            )
            parts.append(options_of(sub))
    parts.append(
        "## text-rankings manage\n\nCommands of the site; in the repository `python manage.py`.\n"
    )
    ours = sorted(name for name, app in get_commands().items() if app == "annotate")
    common = {action.dest for action in django_parser()._actions}
    for name in ours:
        command = load_command_class("annotate", name)
        parts.append(f"### {name}\n\n{sentence(command.help)}\n")
        parts.append(options_of(command.create_parser("text-rankings manage", name), common))
    return "\n".join(part for part in parts if part)


def django_parser() -> argparse.ArgumentParser:
    from django.core.management.base import BaseCommand

    return BaseCommand().create_parser("manage", "any")


def sentence(said: str | None) -> str:
    text = " ".join((said or "").split())
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".") if text else ""


def options_of(parser: argparse.ArgumentParser, without: set[str] = frozenset()) -> str:  # type: ignore[assignment]  # empty
    rows = list(_rows(parser, without | {"help"}))
    if not rows:
        return ""
    return "\n".join(["| argument | meaning |", "| --- | --- |", *rows]) + "\n"


def _rows(parser: argparse.ArgumentParser, without: set[str]) -> Iterator[str]:
    for action in parser._actions:
        if action.dest in without or isinstance(action, argparse._SubParsersAction):
            continue
        value = action.metavar or (
            "|".join(map(str, action.choices)) if action.choices and len(action.choices) < 8
            else "" if action.nargs == 0 else action.dest.upper()
        )  # fmt: skip
        value = " ".join(value) if isinstance(value, tuple) else value
        name = ", ".join(action.option_strings) or value
        shown = f"{name} {value}" if action.option_strings and value else name
        said = " ".join((action.help or "").replace("%%", "%").split())
        if action.required and action.option_strings:
            said = f"{said} (required)" if said else "required"
        yield row(f"`{shown}`", said)


def settings_page() -> str:
    parts = [
        "# Settings\n",
        "Variables of the environment. On one person's machine none is needed; `text-rankings --data` is "
        "DATA_DIR. With Docker they stand in `.env`, of which `.env.example` is the template.\n",
        MADE,
        "| variable | as in the template | meaning |\n| --- | --- | --- |",
    ]
    said: list[str] = []
    for line in (ROOT / ".env.example").read_text(encoding="utf-8").splitlines()[1:]:
        if line.startswith("#"):
            said.append(line.lstrip("# "))
        elif "=" in line:
            name, _, value = line.partition("=")
            shown = f"`{value}`" if value else ""
            parts.append(f"| `{name}` | {shown} | {' '.join(said)} |")
            said = []
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    sys.exit(write(pages(), "make_reference.py"))
