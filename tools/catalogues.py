"""Translations of the site: collection of the messages, and compilation of the catalogues.

``python -m tools.catalogues`` (`make messages`) updates each catalogue of annotate/locale with the
messages of the code, keeps their translations, and lists the missing ones of the pages that
annotators and participants see. It compiles the catalogues for Django (.mo) and for the pages'
scripts (static/js/words/). A message without a translation is shown in English.
"""

import ast
import io
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.plurals import get_plural
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

ROOT: Final = Path(__file__).resolve().parents[1]
LOCALE: Final = ROOT / "annotate" / "locale"
SCRIPTS: Final = ROOT / "static" / "js" / "words"
LANGUAGES: Final = ("fr",)
DOMAINS: Final = ("django", "djangojs")
# The folders of the pages and mails of annotators and participants; "" has what all pages share.
ROOMS: Final = frozenset(
    ("", "account", "accounts", "elements", "guide", "judging", "learning", "recruiting")
)
_Keywords = dict[str, tuple[int, ...]]
# Which arguments of a function are messages: the singular, and the plural if there is one.
_KEYWORDS: Final[_Keywords] = {
    # The subjects of health checks, too.
    **dict.fromkeys(("_", "gettext", "gettext_lazy", "gettext_noop", "Finding", "_finding"), (0,)),
    **dict.fromkeys(("ngettext", "ngettext_lazy", "ngettext_noop"), (0, 1)),
    # The context comes first.
    **dict.fromkeys(("pgettext", "pgettext_lazy"), (1,)),
    "npgettext": (1, 2),
}
# Files of data whose sentences pages show, and the names of those in them.
_DATA: Final = {
    "annotate/learning/pictures.json": {"says"},
    "annotate/learning/pairs.json": {"title", "says", "why"},
    "annotate/guide/presets.json": {"name", "says"},
    "annotate/figures/drawings/*.json": {"heads"},
}
_OF_SCRIPTS: Final[dict[str, Any]] = {"gettext": None, "ngettext": (1, 2)}
# The decimal separator that Django uses in each language, for scripts.
_POINTS: Final = {"fr": ","}
# Lines of a header that change on every run or contain nothing useful.
_VARYING: Final = re.compile(
    rb'^(#.*|"(Project|Report|POT|PO-|Last|Language-Team|Generated)[^\n]*)\n', re.MULTILINE
)
_ANY_DAY: Final = datetime(2026, 1, 1, tzinfo=UTC)
_PLACE: Final = re.compile(r"%\((\w+)\)[sd]|(?<!\{)\{(\w*)[^{}]*\}")


class Said(NamedTuple):
    """A message of the code: one sentence, or a singular and a plural."""

    singular: str
    plural: str = ""
    context: str = ""


def room(path: Path, folder: Path) -> str:
    """Return the subject of a template, script or module: its first folder, "" without one."""
    parts = path.relative_to(folder).parts
    return parts[0] if len(parts) > 1 else ""


def said(domain: str) -> Iterator[tuple[str, Said]]:
    """Yield the messages of Python and templates, or of scripts, each with its room."""
    if domain == "djangojs":
        for path in sorted(SCRIPTS.parent.rglob("*.js")):
            if SCRIPTS not in path.parents:
                own = room(path, SCRIPTS.parent)
                calls = extract("javascript", io.BytesIO(path.read_bytes()), _OF_SCRIPTS)
                for _line, words, _comments, _context in calls:
                    yield own, Said(words) if isinstance(words, str) else Said(*words)
        return
    annotate, templates = ROOT / "annotate", ROOT / "templates"
    for path in sorted([*annotate.rglob("*.py"), *ROOT.glob("text_rankings/site/*.py")]):
        own = room(path, annotate) if annotate in path.parents else ""
        yield from ((own, of) for of in _said_by_python(path.read_text(encoding="utf-8")))
    for path in sorted(of for of in templates.rglob("*") if of.suffix in (".html", ".txt")):
        found = _said_by_template(path.read_text(encoding="utf-8"))
        yield from ((room(path, templates), of) for of in found)
    for pattern, keys in _DATA.items():
        for path in sorted(ROOT.glob(pattern)):
            data = json.loads(path.read_text(encoding="utf-8"))
            yield from ((room(path, annotate), Said(of)) for of in _said_by_data(data, keys, False))


def _said_by_data(data: Any, keys: set[str], told: bool) -> Iterator[str]:
    """Yield the texts below these keys of nested data."""
    if isinstance(data, str) and told:
        yield data
    elif isinstance(data, list):
        for item in data:
            yield from _said_by_data(item, keys, told)
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from _said_by_data(value, keys, told or key in keys)


def _said_by_python(source: str) -> Iterator[Said]:
    for call in ast.walk(ast.parse(source)):
        if not isinstance(call, ast.Call):
            continue
        name = getattr(call.func, "attr", getattr(call.func, "id", ""))
        singular, *plural = [_constant(call.args, at) for at in _KEYWORDS.get(name, ())] or [""]
        if singular:
            context = _constant(call.args, 0) if "pgettext" in name else ""
            yield Said(singular, "".join(plural), context)


def _constant(args: Sequence[ast.expr], at: int) -> str:
    node = args[at] if at < len(args) else None
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _said_by_template(text: str) -> Iterator[Said]:
    # Django turns a template into calls among text that is not Python: only the calls are kept.
    calls = re.findall(
        r"\b(?:n?p?gettext|_)\((?:u?(?:'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\")\s*,?\s*)+(?:count|\w+)?\s*\)",
        templatize(text),
    )
    yield from _said_by_python("\n".join(calls))


def path_of(language: str, domain: str) -> Path:
    return LOCALE / language / "LC_MESSAGES" / f"{domain}.po"


def catalogue(language: str, domain: str) -> Catalog:
    path = path_of(language, domain)
    if not path.is_file():
        return Catalog(locale=language, charset="utf-8", fuzzy=False)
    with path.open("rb") as file:
        return read_po(file, locale=language, domain=domain)


def holes(language: str, domain: str) -> list[str]:
    """Return the messages of annotators' and participants' pages that are not translated."""
    there = {
        (_singular(message), message.context or "")
        for message in catalogue(language, domain)
        if message.id and all(_forms(message)) and not message.fuzzy
    }
    wanted = {(of.singular, of.context) for own, of in said(domain) if own in ROOMS}
    return sorted(words for words, _ in wanted - there)


def faults(language: str, domain: str) -> list[str]:
    """Return the translations that fill in other values than the message, a line each."""
    found = ((message, _fault(message)) for message in catalogue(language, domain) if message.id)
    return [f"{fault}: {_singular(message)!r}" for message, fault in found if fault]


def _singular(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[0]


def _forms(message: Message) -> tuple[str, ...]:
    given = message.string or ""
    return (given,) if isinstance(given, str) else tuple(given)


def _fault(message: Message) -> str:
    """Return how a translation's placeholders or outer blanks are wrong; empty if they are not."""
    originals = (message.id,) if isinstance(message.id, str) else tuple(message.id)
    wanted = places(originals[-1])
    if not all(_forms(message)):
        return ""
    for at, words in enumerate(_forms(message)):
        given = places(words)
        # A singular such as "One image" may omit placeholders; all other forms have all of them.
        if given != wanted and not (len(originals) > 1 and at == 0 and given < wanted):
            return f"fills in {sorted(given)} for {sorted(wanted)}"
        if words != words.strip() and originals[0] == originals[0].strip():
            return "blank at an end"
    return ""


def places(words: str) -> set[str]:
    return {first or second or "" for first, second in _PLACE.findall(words)}


def compiled(language: str) -> dict[Path, bytes]:
    """Return the files compiled from a language's catalogues, by path."""
    content, read = io.BytesIO(), catalogue(language, "django")
    for message in [message for message in read if message.id and not all(_forms(message))]:
        read.delete(message.id, message.context)
    # Otherwise a file would contain the time of its creation.
    read.creation_date = read.revision_date = _ANY_DAY
    write_mo(content, read)
    # The comparison page is opened most, and loads no messages of other pages; they load both.
    judging = {of.singular for own, of in said("djangojs") if own == "judging"}
    of_judging: dict[str, Any] = {}
    others: dict[str, Any] = {}
    for message in catalogue(language, "djangojs"):
        if message.id and all(_forms(message)):
            of_one = of_judging if _singular(message) in judging else others
            of_one[_singular(message)] = message.string
    form, point = get_plural(language).plural_expr, _POINTS[language]
    head = f'globalThis.catalogue = {{ form: (n) => Number({form}), point: "{point}", words: '
    also = f'import "./{language}-judging.js";\n\nObject.assign(globalThis.catalogue.words, '
    return {
        path_of(language, "django").with_suffix(".mo"): content.getvalue(),
        SCRIPTS / f"{language}-judging.js": _script(head, of_judging, " };"),
        SCRIPTS / f"{language}.js": _script(also, others, ");"),
    }


def _script(head: str, words: Mapping[str, Any], tail: str) -> bytes:
    listed = json.dumps(words, ensure_ascii=False, indent=1, sort_keys=True)
    return f"// Made by `make messages` from annotate/locale.\n{head}{listed}{tail}\n".encode()


def write(language: str) -> list[str]:
    """Update the catalogue of a language and return what is missing or wrong in it."""
    for domain in DOMAINS:
        path, made = path_of(language, domain), catalogue(language, domain)
        wanted = Catalog(locale=language, charset="utf-8", fuzzy=False)
        for _, (singular, plural, context) in said(domain):
            wanted.add((singular, plural) if plural else singular, context=context or None)
        made.update(wanted, no_fuzzy_matching=True)
        content = io.BytesIO()
        write_po(content, made, width=100, no_location=True, sort_output=True, ignore_obsolete=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_VARYING.sub(b"", content.getvalue()).lstrip())
    for path, ready in compiled(language).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(ready)
    return [of for domain in DOMAINS for of in holes(language, domain) + faults(language, domain)]


def main() -> int:
    found = {language: write(language) for language in LANGUAGES}
    for language, lines in found.items():
        print(f"{language}: {len(lines)} to do", *lines, sep="\n  ")
    return int(any(found.values()))


if __name__ == "__main__":
    sys.exit(main())
