"""Translations of the site: collected from the code and compiled.

``python -m tools.catalogues`` (`make messages`) writes into each catalogue of annotate/locale what the code
says today, keeps the translations there are, and lists what has none. From the catalogues it makes what
Django (.mo) and the pages' scripts (static/js/words/) read.
"""

import ast
import io
import json
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.plurals import get_plural
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

from protocols import registry
from protocols.core.base import NEEDED
from protocols.formats.problems import CODES
from protocols.formats.recognition.reading import FORMATS
from protocols.formats.summaries import ADVICE
from rankings.elicitation.log import CRITERIA

ROOT: Final = Path(__file__).resolve().parents[1]
LOCALE: Final = ROOT / "annotate" / "locale"
SCRIPTS: Final = ROOT / "static" / "js" / "words"
LANGUAGES: Final = ("fr",)
DOMAINS: Final = ("django", "djangojs")
# The packages whose Python speaks to people who look at pages.
_PACKAGES: Final = ("annotate", "protocols", "rankings", "text_rankings")
_Keywords = dict[str, tuple[tuple[int, ...], ...]]
# Where the call of a function has its words, of one thing and of several.
_KEYWORDS: Final[_Keywords] = {
    **dict.fromkeys(("_", "gettext", "gettext_lazy", "gettext_noop", "Message"), ((0,),)),
    **dict.fromkeys(("ngettext", "ngettext_lazy", "ngettext_noop"), ((0, 1),)),
    # The context comes first.
    **dict.fromkeys(("pgettext", "pgettext_lazy"), ((1,),)),
    "npgettext": ((1, 2),),
}
# Problems of files have what was found and what was expected; refusals begin with their words.
_OF_PROTOCOLS: Final[_Keywords] = {
    **dict.fromkeys(("error", "warning", "question", "Fault", "_Stopped"), ((1,), (2,))),
    **dict.fromkeys(("DocumentError", "NoCauses", "NotWritable", "ParameterError"), ((0,),)),
    **dict.fromkeys(("ReadingError", "RegionError", "UnknownFormat"), ((0,),)),
    **dict.fromkeys(("_nothing", "_refuse", "_scores"), ((0,),)),
    "_annotated": ((3,),),
}
_PICTURES: Final = ROOT / "annotate" / "learning" / "pictures.json"
# The columns of tables (rankings.output.table) have English names, translated where they are shown.
_COLUMNS: Final[_Keywords] = dict.fromkeys(("Column", "number", "count"), ((0,),))
_OF_SCRIPTS: Final[dict[str, Any]] = {"gettext": None, "ngettext": (1, 2)}
_OWN: Final = {
    "protocols": _OF_PROTOCOLS,
    "rankings": _COLUMNS,
}
# How Django writes a number's sign in front of its fraction, for scripts.
_POINTS: Final = {"fr": ","}
# Lines of a header that change by themselves, or say nothing.
_VARYING: Final = re.compile(
    rb'^(#.*|"(Project|Report|POT|PO-|Last|Language-Team|Generated)[^\n]*)\n', re.MULTILINE
)
_ANY_DAY: Final = datetime(2026, 1, 1, tzinfo=UTC)
_PLACE: Final = re.compile(r"%\((\w+)\)[sd]|(?<!\{)\{(\w*)[^{}]*\}")


@dataclass(frozen=True)
class Said:
    """Something that the code says: one sentence, or one for one thing and one for several."""

    singular: str
    plural: str = ""
    context: str = ""

    @property
    def key(self) -> tuple[str, str]:
        return self.singular, self.context


def said(domain: str) -> list[Said]:
    """Return what the code of a domain says, each once: Python and templates, or scripts."""
    found: dict[tuple[str, str], Said] = {}
    for each in _by_scripts() if domain == "djangojs" else _by_python_and_templates():
        # A word may be said alone at one place and counted at another.
        if each.key not in found or each.plural:
            found[each.key] = each
    return sorted(found.values(), key=lambda each: each.key)


def _by_scripts() -> Iterator[Said]:
    yield from _by_scripts_in(ROOT / "static" / "js")


def _by_scripts_in(folder: Path) -> Iterator[Said]:
    for path in sorted(folder.rglob("*.js")):
        if SCRIPTS not in path.parents:
            found = extract("javascript", io.BytesIO(path.read_bytes()), _OF_SCRIPTS)
            for _line, words, _comments, _context in found:
                yield Said(words) if isinstance(words, str) else Said(*words)


def _by_python_and_templates() -> Iterator[Said]:
    for package in _PACKAGES:
        for path in sorted(ROOT.joinpath(package).rglob("*.py")):
            yield from _said_by_python(
                path.read_text(encoding="utf-8"), _KEYWORDS | _OWN.get(package, {})
            )
    yield from map(Said, filter(None, _declared()))
    for pattern in ("*.html", "*.txt"):
        for path in sorted(ROOT.joinpath("templates").rglob(pattern)):
            yield from _said_by_template(path.read_text(encoding="utf-8"))

    # The pictures of the introduction are described where they are drawn.
    for picture in json.loads(_PICTURES.read_text(encoding="utf-8")):
        yield Said(picture["says"])


def _declared() -> Iterator[str]:
    """Yield the words that protocols, formats, kinds of faults and criteria declare."""
    for family, protocols in registry.families().items():
        yield family
        for protocol in protocols:
            yield from (protocol.summary, protocol.as_published)
            yield from (variant.says for variant in protocol.variants.values())
            yield from (field.metadata.get("says", "") for field in protocol.declared())
    for format in FORMATS.values():
        yield from (format.name, format.description)
    yield from (*NEEDED.values(), *CODES.values(), *ADVICE.values(), *CRITERIA)


def _said_by_python(source: str, keywords: Mapping[str, Any] = _KEYWORDS) -> Iterator[Said]:
    for call in ast.walk(ast.parse(source)):
        if not isinstance(call, ast.Call):
            continue
        name = getattr(call.func, "attr", getattr(call.func, "id", ""))
        for places in keywords.get(name, ()):
            singular, *plural = [_constant(call.args, at) for at in places]
            if singular:
                context = _constant(call.args, 0) if "pgettext" in name else ""
                yield Said(singular, "".join(plural), context)


def _constant(args: Sequence[ast.expr], at: int) -> str:
    node = args[at] if at < len(args) else None
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _said_by_template(text: str) -> Iterator[Said]:
    # Django turns a template into calls among noise that is no Python: the calls alone are kept.
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
        return _new(language)
    with path.open("rb") as file:
        return read_po(file, locale=language, domain=domain)


def _new(language: str) -> Catalog:
    return Catalog(locale=language, charset="utf-8", fuzzy=False)


def brought_up_to_date(language: str, domain: str) -> Catalog:
    """Return the catalogue with what the code says now, translated where it was."""
    old, made = catalogue(language, domain), _new(language)
    for each in said(domain):
        kept = old.get(each.singular, each.context or None)
        words: Any = kept.string if kept and not kept.fuzzy else None
        n_forms = made.num_plurals
        if each.plural:
            words = words if isinstance(words, tuple) and len(words) == n_forms else None
            words = words or ("",) * n_forms
            identifier: Any = (each.singular, each.plural)
        else:
            words = words if isinstance(words, str) else ""
            identifier = each.singular
        made.add(identifier, words, context=each.context or None)
    return made


def holes(language: str, domain: str) -> list[str]:
    """Return what is wrong with a catalogue, a sentence each; nothing of one that is complete."""
    kept = catalogue(language, domain)
    wanted = {each.key: each for each in said(domain)}
    there = {(_singular(message), message.context or ""): message for message in kept if message.id}
    found = [
        f"not in the catalogue: {words!r}" for words, _ in sorted(wanted.keys() - there.keys())
    ]
    found += [f"said nowhere: {words!r}" for words, _ in sorted(there.keys() - wanted.keys())]
    for key, message in sorted(there.items()):
        if message.fuzzy:
            found.append(f"uncertain: {key[0]!r}")
        elif not all(_forms(message)):
            found.append(f"not translated: {key[0]!r}")
        elif fault := _places_fault(message):
            found.append(f"{fault}: {key[0]!r}")
    return found


def _singular(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[0]


def _forms(message: Message) -> tuple[str, ...]:
    given = message.string or ""
    return (given,) if isinstance(given, str) else tuple(given)


def _places_fault(message: Message) -> str:
    """Values keep their places: what English fills in, the translation fills in too."""
    originals = (message.id,) if isinstance(message.id, str) else tuple(message.id)
    wanted = places(originals[-1])
    for at, words in enumerate(_forms(message)):
        given = places(words)
        # "One image" need not say its number; all the others say theirs.
        if given != wanted and not (len(originals) > 1 and at == 0 and given < wanted):
            return f"fills in {sorted(given)} for {sorted(wanted)}"
    if (
        any(words != words.strip() for words in _forms(message))
        and originals[0] == originals[0].strip()
    ):
        return "blank at an end"
    return ""


def places(words: str) -> set[str]:
    return {first or second or "" for first, second in _PLACE.findall(words)}


def compiled(language: str) -> dict[Path, bytes]:
    """Return the files made of a language's catalogues."""
    made = {}
    for domain in DOMAINS:
        content = io.BytesIO()
        read = catalogue(language, domain)
        for message in [message for message in read if message.id and not all(_forms(message))]:
            read.delete(message.id, message.context)
        # Else a file would say when it was made.
        read.creation_date = read.revision_date = _ANY_DAY
        write_mo(content, read)
        made[path_of(language, domain).with_suffix(".mo")] = content.getvalue()
    # Django reads django.mo alone; scripts read a script.
    del made[path_of(language, "djangojs").with_suffix(".mo")]
    made[SCRIPTS / f"{language}.js"] = _script(language).encode()
    # The comparison page is opened most, and reads no words of other pages.
    judging = {each.singular for each in _by_scripts_in(SCRIPTS.parent / "judging")}
    made[SCRIPTS / f"{language}-judging.js"] = _script(language, only=judging).encode()
    return made


def _script(language: str, only: Collection[str] | None = None) -> str:
    words = {
        _singular(message): message.string
        for message in catalogue(language, "djangojs")
        if message.id and all(_forms(message)) and (only is None or _singular(message) in only)
    }
    listed = json.dumps(words, ensure_ascii=False, indent=1, sort_keys=True)
    form = get_plural(language).plural_expr
    return (
        "// Made by `make messages` from annotate/locale.\n"
        f"globalThis.catalogue = {{ words: {listed}, form: (n) => Number({form}), "
        f'point: "{_POINTS[language]}" }};\n'
    )


def write(language: str) -> list[str]:
    """Update the catalogue of a language and return its missing translations."""
    for domain in DOMAINS:
        path = path_of(language, domain)
        made = brought_up_to_date(language, domain)
        path.parent.mkdir(parents=True, exist_ok=True)
        content = io.BytesIO()
        write_po(content, made, width=100, no_location=True, sort_output=True, ignore_obsolete=True)
        path.write_bytes(_VARYING.sub(b"", content.getvalue()))
    for path, ready in compiled(language).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(ready)
    return [hole for domain in DOMAINS for hole in holes(language, domain)]


def main() -> int:
    lacking = {language: write(language) for language in LANGUAGES}
    for language, found in lacking.items():
        print(f"{language}: {len(found)} to do", *found, sep="\n  ")
    return int(any(lacking.values()))


if __name__ == "__main__":
    sys.exit(main())
