"""Write what documents have from the code: rooms and drawings; the site has more of it.

``--check`` writes nothing, and fails if a document differs.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import Field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from protocols import registry  # noqa: E402
from protocols.core.base import Protocol  # noqa: E402
from protocols.core.drawing import draw_scene  # noqa: E402
from protocols.formats.readers.scenes import read_scene  # noqa: E402
from protocols.formats.recognition.reading import FORMATS  # noqa: E402
from protocols.formats.writing.converting import WRITTEN  # noqa: E402
from tools import rooms  # noqa: E402
from tools.pages import between, row, write  # noqa: E402

DOCS = ROOT / "docs"


def pages() -> dict[Path, str]:
    return {
        rooms.DOCUMENT: rooms.document(rooms.DOCUMENT.read_text(encoding="utf-8")),
        **drawings(),
    }


def drawings() -> dict[Path, str]:
    """Return the pictures of the protocols' worked examples, without those of unknown protocols."""
    found = {}
    for example in sorted((DOCS / "protocols" / "examples").glob("*.json")):
        if example.stem in registry.PROTOCOLS:
            protocol = registry.get(example.stem)
            scene = read_scene(json.loads(example.read_text(encoding="utf-8")), example.name)
            [score] = protocol.score([scene])
            picture = draw_scene(scene, score, title=f"{protocol.name}, worked example")
            found[DOCS / "protocols" / "img" / f"{example.stem}.svg"] = picture
    return found


def formats_page() -> str:
    """Return the page of formats that the documentation site shows, with a row for each in their order."""
    rows = [
        "| slug | format | a file of it | kept in addition to the outline | written |",
        "| --- | --- | --- | --- | --- |",
    ]
    before = ""
    for slug, of in FORMATS.items():
        said, comma, example = of.description.partition(", as in ")
        shown = f"{said}{comma}`{example}`" if "`" not in example and comma else of.description
        shown, before = said if example == before else shown, example
        rows.append(row(f"`{slug}`", of.name, shown, of.kept, "yes" if slug in WRITTEN else ""))
    begin, end = "<!-- made by docs/make_reference.py -->\n", "<!-- end of what is made -->\n"
    text = (DOCS / "formats.md").read_text(encoding="utf-8")
    return between(text, begin, end, "\n".join(rows) + "\n")


def parameters(protocol: Protocol) -> str:
    """Return the table of a protocol's parameters, which the documentation site adds to its page."""
    rows = [
        row(f"`{of.name}`", _default(of.default), _range(of), of.metadata.get("says", ""))
        for of in protocol.declared()
    ]
    heads = "| parameter | default | range | meaning |\n| --- | --- | --- | --- |\n"
    return heads + "\n".join(rows) + "\n" if rows else "None.\n"


def _default(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _range(declared: Field[object]) -> str:
    if isinstance(declared.default, bool):
        return "yes, no"
    if "choices" in declared.metadata:
        return ", ".join(declared.metadata["choices"])
    return f"{declared.metadata['low']:g} to {declared.metadata['high']:g}"


def commands_page() -> str:
    """Return the page of commands, with their options, that the documentation site shows."""
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "text_rankings.site.settings")
    django.setup()
    from django.core.management import get_commands, load_command_class

    from protocols.command_line.commands import _parser as protocols
    from rankings.__main__ import _parser as rankings
    from text_rankings.site.program import _parser as site

    parts = ["# Commands\n", "Three programs come with the package.\n"]

    def add(name: str, said: str | None, options: str) -> None:
        parts.append(f"### {name}\n\n{sentence(said)}\n\n{options}")

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
            add(f"{name} {command}", helps.get(command) or sub.description, options_of(sub))
    parts.append(
        "## text-rankings manage\n\nCommands of the site; in the repository `python manage.py`.\n"
    )
    ours = sorted(name for name, app in get_commands().items() if app == "annotate")
    common = {action.dest for action in django_parser()._actions}
    for name in ours:
        command = load_command_class("annotate", name)
        parser = command.create_parser("text-rankings manage", name)
        add(name, command.help, options_of(parser, common))
    return "\n".join(part for part in parts if part) + "\n"


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
    """Return the page of settings that the documentation site shows, from the template of ``.env``."""
    parts = [
        "# Settings\n",
        "Variables of the environment. On one person's machine none is needed; `text-rankings --data` is "
        "DATA_DIR. With Docker they are in `.env`, of which `.env.example` is the template.\n",
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
