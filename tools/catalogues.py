"""Translations of the site: collection of the messages, and compilation of the catalogues.

``python -m tools.catalogues`` (`make messages`) updates each catalogue of annotate/locale with the
messages of the code, keeps their translations, and lists the missing ones of the pages that
annotators and participants see. It compiles the catalogues for Django (.mo) and for the pages'
scripts (static/js/words/). A message without a translation is shown in English.
"""

import io
import json
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir, extract_python
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
# Which arguments of a function are messages; "c" is the context.
KEYWORDS: Final[dict[str, Any]] = {
    # The subjects of health checks, too.
    **dict.fromkeys(("_", "gettext", "gettext_lazy", "gettext_noop", "Finding", "_finding")),
    **dict.fromkeys(("ngettext", "ngettext_lazy", "ngettext_noop"), (1, 2)),
    **dict.fromkeys(("pgettext", "pgettext_lazy"), ((1, "c"), 2)),
    "npgettext": ((1, "c"), 2, 3),
}
# Files of data whose sentences pages show, and the names of those in them.
_SENTENCES: Final[dict[str, dict[str, Any]]] = {
    "learning/pictures.json": {"says": True},
    "learning/pairs.json": {"title": True, "says": True, "why": True},
    "guide/presets.json": {"name": True, "says": True},
    "figures/drawings/*.json": {"heads": True},
}
# The decimal separator that Django uses in each language, for scripts.
_POINTS: Final = {"fr": ","}
# Lines of a header that change on every run or contain nothing useful.
_VARYING: Final = re.compile(
    rb'^(#.*|"(Project|Report|POT|PO-|Last|Language-Team|Generated)[^\n]*)\n', re.MULTILINE
)
_ANY_DAY: Final = datetime(2026, 1, 1, tzinfo=UTC)
_PLACE: Final = re.compile(r"%\((\w+)\)[sd]|(?<!\{)\{(\w*)[^{}]*\}")


def room(path: Path) -> str:
    """Return the subject of a template, script or module: its first folder, "" without one."""
    return path.parts[0] if len(path.parts) > 1 else ""


def said(domain: str) -> Iterator[tuple[str, str | tuple[str, ...], str | None]]:
    """Yield the room, message (or singular and plural) and context of what the code says."""
    for folder, methods in _METHODS[domain].items():
        found = extract_from_dir(ROOT / folder, methods, _SENTENCES, KEYWORDS)
        for path, _line, words, _comments, context in found:
            if any(words):
                yield room(Path(path)), words, context


def _calls_of_template(file: IO[bytes], keywords: Any, tags: Any, options: Any) -> Iterator[Any]:
    """Yield the calls that Django makes of a template's tags; all other text is X's."""
    calls = " ".join(templatize(file.read().decode()).split("\n"))
    return extract_python(io.BytesIO(calls.encode()), keywords, tags, options)


def _sentences(file: IO[bytes], _keywords: Any, _tags: Any, options: Any) -> Iterator[Any]:
    """Yield the texts of a file of data below the names of its sentences."""
    below = [(json.load(file), False)]
    while below:
        data, is_sentence = below.pop()
        if isinstance(data, str) and is_sentence:
            yield 0, "gettext", data, []
        elif isinstance(data, list):
            below += [(item, is_sentence) for item in data]
        elif isinstance(data, dict):
            below += [(item, is_sentence or key in options) for key, item in data.items()]


# By domain and folder: which files are read, and how.
_METHODS: Final[dict[str, dict[str, list[tuple[str, Any]]]]] = {
    "djangojs": {"static/js": [("words/**", "ignore"), ("**.js", "javascript")]},
    "django": {
        "annotate": [("**.py", "python"), *((path, _sentences) for path in _SENTENCES)],
        "templates": [("**.html", _calls_of_template), ("**.txt", _calls_of_template)],
        "text_rankings/site": [("*.py", "python")],
    },
}


def path_of(language: str, domain: str) -> Path:
    return LOCALE / language / "LC_MESSAGES" / f"{domain}.po"


def catalogue(language: str, domain: str) -> Catalog:
    if not path_of(language, domain).is_file():
        return Catalog(locale=language, charset="utf-8", fuzzy=False)
    with path_of(language, domain).open("rb") as file:
        return read_po(file, locale=language, domain=domain)


def holes(language: str, domain: str) -> list[str]:
    """Return the messages of annotators' and participants' pages that are not translated."""
    there = {(one.id, one.context) for one in _whole(language, domain) if not one.fuzzy}
    wanted = {(words, context) for own, words, context in said(domain) if own in ROOMS}
    return sorted(str(words) for words, _ in wanted - there)


def faults(language: str, domain: str) -> list[str]:
    """Return the translations that fill in other values than the message, a line each."""
    return [f"{fault}: {one.id!r}" for one in _whole(language, domain) if (fault := fault_of(one))]


def _whole(language: str, domain: str) -> list[Message]:
    """Return the messages whose forms are all translated."""
    return [one for one in catalogue(language, domain) if one.id and all(_forms(one.string))]


def _forms(words: Any) -> tuple[str, ...]:
    return (words,) if isinstance(words, str) else tuple(words)


def fault_of(message: Message) -> str:
    """Return how a translation's placeholders or outer blanks are wrong; empty if they are not."""
    originals = _forms(message.id)
    wanted = places(originals[-1])
    for at, words in enumerate(_forms(message.string)):
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
    ready, content = Catalog(locale=language, fuzzy=False), io.BytesIO()
    for one in _whole(language, "django"):
        ready.add(one.id, one.string, context=one.context)
    # Otherwise a file would contain the time of its creation.
    ready.creation_date = ready.revision_date = _ANY_DAY
    write_mo(content, ready)
    # The comparison page is opened most, and loads no messages of other pages; they load both.
    judging = {_forms(words)[0] for own, words, _ in said("djangojs") if own == "judging"}
    words_of = {_forms(one.id)[0]: one.string for one in _whole(language, "djangojs")}
    of_judging = {key: words for key, words in words_of.items() if key in judging}
    others = {key: words for key, words in words_of.items() if key not in judging}
    form, point = get_plural(language).plural_expr, _POINTS[language]
    head = f'globalThis.catalogue = {{ form: (n) => Number({form}), point: "{point}", words: '
    also = f'import "./{language}-judging.js";\n\nObject.assign(globalThis.catalogue.words, '
    return {
        path_of(language, "django").with_suffix(".mo"): content.getvalue(),
        SCRIPTS / f"{language}-judging.js": _script(head, of_judging, " };"),
        SCRIPTS / f"{language}.js": _script(also, others, ");"),
    }


def _script(head: str, words: Any, tail: str) -> bytes:
    listed = json.dumps(words, ensure_ascii=False, indent=1, sort_keys=True)
    return f"// Made by `make messages` from annotate/locale.\n{head}{listed}{tail}\n".encode()


def write(language: str) -> list[str]:
    """Update the catalogue of a language and return what is missing or wrong in it."""
    for domain in DOMAINS:
        made = catalogue(language, domain)
        wanted = Catalog(locale=language, charset="utf-8", fuzzy=False)
        for _, words, context in said(domain):
            wanted.add(words, context=context)
        made.update(wanted, no_fuzzy_matching=True)
        content = io.BytesIO()
        write_po(content, made, width=100, no_location=True, sort_output=True, ignore_obsolete=True)
        path_of(language, domain).parent.mkdir(parents=True, exist_ok=True)
        path_of(language, domain).write_bytes(_VARYING.sub(b"", content.getvalue()).lstrip())
    for path, ready in compiled(language).items():
        path.write_bytes(ready)
    return [of for domain in DOMAINS for of in holes(language, domain) + faults(language, domain)]


if __name__ == "__main__":
    found = {language: write(language) for language in LANGUAGES}
    for language, lines in found.items():
        print(f"{language}: {len(lines)} to do", *lines, sep="\n  ")
    sys.exit(int(any(found.values())))
