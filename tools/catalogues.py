"""Translations of the site: collection of the messages, and compilation of the catalogues.

``python -m tools.catalogues`` (`make messages`) updates each catalogue of annotate/locale with the
messages of the code, keeps their translations, and lists the missing ones. It compiles the
catalogues for Django (.mo) and for the pages' scripts (static/js/words/).
"""

import ast
import io
import json
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple, get_args

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.plurals import get_plural
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

from protocols import registry
from protocols.core.base import NEEDED, Kind
from protocols.core.causes import CAUSES
from protocols.formats.problems import ADVICE, CODES
from protocols.formats.recognition.reading import FORMATS
from rankings.elicitation.log import CRITERIA, MIRRORED

ROOT: Final = Path(__file__).resolve().parents[1]
LOCALE: Final = ROOT / "annotate" / "locale"
SCRIPTS: Final = ROOT / "static" / "js" / "words"
LANGUAGES: Final = ("fr",)
DOMAINS: Final = ("django", "djangojs")
# The packages whose Python has messages that pages show.
_PACKAGES: Final = ("annotate", "protocols", "rankings", "text_rankings")
_Keywords = dict[str, tuple[tuple[int, ...], ...]]
# Which arguments of a function are messages: the singular, and the plural if there is one.
_KEYWORDS: Final[_Keywords] = {
    **dict.fromkeys(("_", "gettext", "gettext_lazy", "gettext_noop", "Message"), ((0,),)),
    **dict.fromkeys(("ngettext", "ngettext_lazy", "ngettext_noop"), ((0, 1),)),
    # The context comes first.
    **dict.fromkeys(("pgettext", "pgettext_lazy"), ((1,),)),
    "npgettext": ((1, 2),),
}
# Problems of files have two messages as arguments (found, expected); refusals have one.
_OF_PROTOCOLS: Final[_Keywords] = {
    **dict.fromkeys(("error", "warning", "question", "Fault", "_Stopped"), ((1,), (2,))),
    **dict.fromkeys(("DocumentError", "NoCauses", "NotWritable", "ParameterError"), ((0,),)),
    **dict.fromkeys(("ReadingError", "RegionError", "UnknownFormat"), ((0,),)),
    **dict.fromkeys(("_nothing", "_refuse", "_scores"), ((0,),)),
    "_annotated": ((3,),),
    # Units that are left out: singular, plural, expected.
    "Reason": ((0, 1), (2,)),
}
# Files of data whose sentences pages show, and the names of those in them.
_DATA: Final = {
    "annotate/learning/pictures.json": {"says"},
    "annotate/learning/pairs.json": {"title", "says", "why"},
    "annotate/guide/presets.json": {"name", "says"},
    "protocols/formats/recognition/signs.json": {"says"},
    "rankings/output/tables.json": {"title", "note", "columns"},
    "annotate/figures/drawings/*.json": {"heads"},
}
# The columns of tables (rankings.output.table) have English names, translated for display.
_COLUMNS: Final[_Keywords] = dict.fromkeys(("Column", "number", "count"), ((0,),))
_OF_SCRIPTS: Final[dict[str, Any]] = {"gettext": None, "ngettext": (1, 2)}
_OWN: Final[dict[str, _Keywords]] = {
    # The subjects of health checks.
    "annotate": dict.fromkeys(("Finding", "_finding"), ((0,),)),
    "protocols": _OF_PROTOCOLS,
    "rankings": _COLUMNS,
}
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


def said(language: str, domain: str) -> Catalog:
    """Return the untranslated messages of a domain: Python and templates, or scripts."""
    found = _by_scripts_in(SCRIPTS.parent) if domain == "djangojs" else _by_python_and_templates()
    made = Catalog(locale=language, charset="utf-8", fuzzy=False)
    for singular, plural, context in found:
        made.add((singular, plural) if plural else singular, context=context or None)
    return made


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
    for pattern, keys in _DATA.items():
        for path in sorted(ROOT.glob(pattern)):
            data = json.loads(path.read_text(encoding="utf-8"))
            yield from _said_by_data(data, keys, told=False)


def _said_by_data(data: Any, keys: Collection[str], *, told: bool) -> Iterator[Said]:
    """Yield the texts below these keys of nested data."""
    if isinstance(data, str):
        if told:
            yield Said(data)
    elif isinstance(data, list):
        for item in data:
            yield from _said_by_data(item, keys, told=told)
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from _said_by_data(value, keys, told=told or key in keys)


def _declared() -> Iterator[str]:
    """Yield the texts that protocols, formats, problems, criteria, matches and losses declare."""
    for family, protocols in registry.families().items():
        yield family
        for protocol in protocols:
            yield from (protocol.summary, protocol.as_published)
            yield from (variant.says for variant in protocol.variants.values())
            yield from (field.metadata.get("says", "") for field in protocol.declared())
    for format in FORMATS.values():
        yield from (format.name, format.description)
    yield from (*NEEDED.values(), *CODES.values(), *ADVICE.values(), *CRITERIA, *MIRRORED)
    yield from (*get_args(Kind), *CAUSES)


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
    """Return the faults of a catalogue, a line each; none if it is complete."""
    wanted, there = (
        {(_singular(message), message.context or ""): message for message in catalog if message.id}
        for catalog in (said(language, domain), catalogue(language, domain))
    )
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
    """Return how a translation's placeholders or outer blanks are wrong; empty if they are not."""
    originals = (message.id,) if isinstance(message.id, str) else tuple(message.id)
    wanted = places(originals[-1])
    for at, words in enumerate(_forms(message)):
        given = places(words)
        # A singular such as "One image" may omit placeholders; all other forms have all of them.
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
    """Return the files compiled from a language's catalogues, by path."""
    made = {}
    for domain in DOMAINS:
        content = io.BytesIO()
        read = catalogue(language, domain)
        for message in [message for message in read if message.id and not all(_forms(message))]:
            read.delete(message.id, message.context)
        # Otherwise a file would contain the time of its creation.
        read.creation_date = read.revision_date = _ANY_DAY
        write_mo(content, read)
        made[path_of(language, domain).with_suffix(".mo")] = content.getvalue()
    # Django reads only django.mo; the pages' scripts read a script.
    del made[path_of(language, "djangojs").with_suffix(".mo")]
    # The comparison page is opened most, and loads no messages of other pages; they load both.
    judging = {each.singular for each in _by_scripts_in(SCRIPTS.parent / "judging")}
    of_judging: dict[str, Any] = {}
    others: dict[str, Any] = {}
    for message in catalogue(language, "djangojs"):
        if message.id and all(_forms(message)):
            of_one = of_judging if _singular(message) in judging else others
            of_one[_singular(message)] = message.string
    form, point = get_plural(language).plural_expr, _POINTS[language]
    made[SCRIPTS / f"{language}-judging.js"] = _script(
        f'globalThis.catalogue = {{ form: (n) => Number({form}), point: "{point}", words: ',
        of_judging,
        " };",
    )
    made[SCRIPTS / f"{language}.js"] = _script(
        f'import "./{language}-judging.js";\n\nObject.assign(globalThis.catalogue.words, ',
        others,
        ");",
    )
    return made


def _script(head: str, words: Mapping[str, Any], tail: str) -> bytes:
    listed = json.dumps(words, ensure_ascii=False, indent=1, sort_keys=True)
    return f"// Made by `make messages` from annotate/locale.\n{head}{listed}{tail}\n".encode()


def write(language: str) -> list[str]:
    """Update the catalogue of a language and return its missing translations."""
    for domain in DOMAINS:
        path = path_of(language, domain)
        made = catalogue(language, domain)
        made.update(said(language, domain), no_fuzzy_matching=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        content = io.BytesIO()
        write_po(content, made, width=100, no_location=True, sort_output=True, ignore_obsolete=True)
        path.write_bytes(_VARYING.sub(b"", content.getvalue()).lstrip())
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
