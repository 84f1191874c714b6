"""Write the pages of docs/reference that come from the code: commands and settings.

``--check`` writes nothing, and fails if a page differs.
"""

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools.pages import row, write  # noqa: E402

FOLDER = ROOT / "docs" / "reference"
MADE = "Made from the code by `docs/make_reference.py`; a test fails where it differs.\n"


def pages() -> dict[Path, str]:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "text_rankings.site.settings")
    return {
        FOLDER / "commands.md": commands_page(),
        FOLDER / "settings.md": settings_page(),
    }


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
