"""Annotators and participants can read every word of their pages in each language of the site.

Three rules find words that are not marked for translation, one for templates, one for scripts and
one for Python; then the catalogues themselves. Other pages are in English where a translation is
missing. Files for other programs and for papers are always English (tests/annotate/test_languages.py).
"""

import ast
import html
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from babel.messages.catalog import Message
from babel.messages.jslexer import Token, tokenize

from tests.support.cases import cases
from tools import catalogues

ROOT = Path(__file__).resolve().parents[1]
TEMPLATES, SCRIPTS, PYTHON = ROOT / "templates", ROOT / "static" / "js", ROOT / "annotate"
# Names that are the same in every language.
_NAMES = (
    "ICDAR IoU JavaScript JSON CSV LaTeX BibTeX Markdown SVG PDF PNG SHA COCO px mm API DOI Python "
    "Holm Friedman Davidson Kemeny SQLite PostgreSQL"
)
NAMES = set(_NAMES.split())
TAG = re.compile(r"<[^<>]*>")
SEVERAL = re.compile(r"[^\W\d_]{2,}[,;:”’]? [“‘(]?[^\W\d_]{2,}")


def found_by(rule: Callable[[str], Any], folder: Path, *patterns: str) -> dict[str, Any]:
    """Return what a rule finds in the sources of annotators' and participants' pages, by path."""
    return {
        str(path.relative_to(ROOT)): said
        for pattern in patterns
        for path in sorted(folder.rglob(pattern))
        if catalogues.room(path.relative_to(folder)) in catalogues.ROOMS
        and (said := rule(path.read_text(encoding="utf-8")))
    }


# Templates

COMMENT = re.compile(r"\{#.*?#\}|\{% comment .*?\{% endcomment %\}", re.DOTALL)
MARKED = re.compile(r"\{%-?\s*(blocktrans(?:late)?)\b.*?\{%\s*end\1\s*%\}", re.DOTALL)
UNSPOKEN = re.compile(
    r'<(script|style|code|kbd|samp|pre)\b.*?</\1>|<(\w+)[^<>]* translate="no".*?</\2>', re.DOTALL
)
SPOKEN = re.compile(
    r"(?:(?<![\w-])(?:alt|title|placeholder|label|aria-(?:label|description|valuetext)|data-words[\w-]*)"
    r'|<input[^<>]* type="submit"[^<>]* value)="([^"]*)"'
)


def unmarked_in_template(source: str) -> list[str]:
    source = MARKED.sub("", COMMENT.sub("", source))
    # Classes, not words.
    source = re.sub(r"\{% block body_class %\}.*?\{% endblock %\}", "", source)
    tags = r"\{%.*?%\}|\{\{.*?\}\}"
    found = [words for tag in re.findall(tags, source, re.DOTALL) for words in _said_in_tag(tag)]
    page = UNSPOKEN.sub("", re.sub(tags, "", source, flags=re.DOTALL))
    said = map(html.unescape, [*SPOKEN.findall(page), *TAG.split(page)])
    return found + [
        " ".join(words.split()) for words in said if set(re.findall(r"[^\W\d_]{2,}", words)) - NAMES
    ]


def _said_in_tag(tag: str) -> list[str]:
    if re.match(r"\{%\s*(translate|trans|load|url|static|extends|block)\b", tag):
        return []
    if "|pluralize" in tag:
        return [tag]
    said = re.sub(r"_\((\"[^\"]*\"|'[^']*')\)|autocomplete=\"[^\"]*\"", "", tag)
    literals = re.findall(r"(?<!date:)(?<!time:)(\"[^\"]*\"|'[^']*')", said)
    return [
        each for each in literals if SEVERAL.search(each) or re.match(r".[A-Z][a-z]+ ?.$", each)
    ]


def unmarked_signs(source: str) -> list[str]:
    """Return the signs between what a template fills in that no catalogue can change.

    Languages leave a blank before them, or none; write {% translate ": " %}, and &nbsp;% behind a number.
    """
    source = MARKED.sub("x", re.sub(r"\{#.*?#\}", "", source))
    source = re.sub(r"\{\{.*?\}\}|\{%\s*translate\b.*?%\}", "x", source, flags=re.DOTALL)
    page = TAG.sub("", UNSPOKEN.sub("", re.sub(r"\{%.*?%\}", "", source, flags=re.DOTALL)))
    return re.findall(r"(?:^|(?<=\S))(?: ?[:;!?](?=\s|$)| %)|[“”«»]", html.unescape(page))


def unmarked_keys(source: str) -> list[str]:
    """Return the keys with a word on them, such as Enter: a French keyboard has another one."""
    return re.findall(r"<kbd[^>]*>((?!Ctrl)[A-Z][a-z]{2,})</kbd>", MARKED.sub("", source))


# Scripts

# Functions that take selectors, and messages in the browser's log alone.
UNREAD = {"closest", "matches", "querySelector", "querySelectorAll", "Error", "TypeError"}
# Strings of scripts that no user sees: keys, kinds of nodes and events.
CODE = re.compile(
    r"""["'`](Escape|Enter|Tab|Space|Home|End|Page(Up|Down)|Arrow\w+|Backspace|Delete|Key[A-Z]|Digit\d|Numpad\w*"""
    r"""|(Numpad|Key)\$\{[^}]*\}|CapsLock|Shift|Control|Alt|Meta|Content-Type|Accept|POST|GET|[A-Z]\w+(Error|Element|Event)|X-\w[\w-]*|Idempotency-Key)["'`]"""
)


def unmarked_in_script(source: str) -> list[str]:
    """Return strings that read like words and are no argument of gettext() or ngettext()."""
    tokens = [each for each in tokenize(source) if not each.type.endswith("comment")]
    return [
        token.value
        for at, token in enumerate(tokens)
        if token.type in {"string", "template_string"}
        and _reads_like_words(token.value)
        and not _is_marked(tokens, at)
        and not _is_code(tokens, at)
    ]


def _reads_like_words(literal: str) -> bool:
    text = re.sub(r"\$\{[^}]*\}", "x", literal[1:-1])
    # Selectors, addresses, classes, drawings and the like.
    if re.search(r"[\[\]#>=/<&|]|^\.|--|__|\bdata-|^[a-z-]+:|\w,\w", text):
        return False
    is_title = re.search(r"^[“(]?[A-Z][\w’-]*([ ,].*|[.!?:]?)$", text)
    is_phrase = re.search(r"[a-z]{2,} [a-z“]+ [a-z]{2,}|[.!?]$|[a-z], [a-z]{2}", text)
    return bool((is_title and re.search("[a-z]{2}", text)) or (is_phrase and SEVERAL.search(text)))


def _is_marked(tokens: list[Token], at: int) -> bool:
    # The arguments before this one are strings too.
    while at >= 2 and tokens[at - 1].value == "," and tokens[at - 2].type == "string":
        at -= 2
    return (
        at >= 2 and tokens[at - 1].value == "(" and tokens[at - 2].value in {"gettext", "ngettext"}
    )


def _is_code(tokens: list[Token], at: int) -> bool:
    before = [name for each in tokens[max(at - 4, 0) : at] if (name := each.value.split(".")[-1])]
    before = [name for name in before if name != "?"]
    after = [each.value for each in tokens[at + 1 : at + 4] if each.value != ")"]
    is_read = before[-1:] == ["("] and bool(UNREAD.intersection(before[-2:]))
    return is_read or after[:2] == [".", "split"] or bool(CODE.fullmatch(tokens[at].value))


def says_without_import(source: str) -> bool:
    """Return whether a script calls gettext() without its import: it runs until it says something."""
    return bool(re.search(r"(?<![.\w])n?gettext\(", source)) and not re.search(
        r"import \{[^}]*gettext[^}]*\} from|function n?gettext\(", source
    )


# Python

# Calls whose words no reader of a page sees: the server's log, and who sets the site up.
_UNSEEN = (
    "debug info warning error exception critical log ImproperlyConfigured Http404 NotThere "
    "add_argument extend_schema CommandError AssertionError TypeError RuntimeError RunSQL "
    "leave_out_by_rule start record execute compile Counter Histogram Gauge"
)
UNSEEN_CALLS = set(_UNSEEN.split())
# Values of code that look like words.
VALUES = {
    *("several methods", "detected text", "Roland shoes repairs", "Grand Hotel"),
    *("text/plain; charset=utf-8", "text/csv; charset=utf-8", 'inline; filename="x"'),
    *("noindex, nofollow", "Samsung Internet", "Mac OS X"),
}
# Modules that speak English always: what programs ask for, names of columns, stored jobs and facts, documents
# of protocols, and what programmers and databases read.
ENGLISH = re.compile(
    r"/(api|serializers|admin|work|access|errors|permissions|prepared_sql|markdown|attention_checks"
    r"|recruiting/(exports|selectors)|privacy/personal_data|judging/image_order)(?=/|\.py)"
)


def unmarked_in_python(source: str) -> list[str]:
    """Return strings of two words and more that are neither marked, nor documentation, nor logged."""
    return [
        words
        for words in _said_under(ast.parse(source))
        if SEVERAL.search(TAG.sub("", words))
        and words not in VALUES
        and not words.startswith("attachment; filename=")
    ]


def _said_under(node: ast.AST) -> Iterator[str]:
    name = (
        getattr(node.func, "attr", getattr(node.func, "id", ""))
        if isinstance(node, ast.Call)
        else ""
    )
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    if name in UNSEEN_CALLS or is_text:
        return
    if isinstance(node, ast.JoinedStr):
        yield "".join(part.value if isinstance(part, ast.Constant) else "x" for part in node.values)
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    for field, value in ast.iter_fields(node):
        if field not in ("annotation", "returns"):
            for child in value if isinstance(value, list) else [value]:
                # The values of a sentence may be words too.
                is_marked = name in catalogues.KEYWORDS and isinstance(child, ast.Constant)
                if isinstance(child, ast.AST) and not is_marked:
                    yield from _said_under(child)


@cases(
    "rule, folder, patterns",
    [
        (unmarked_in_template, TEMPLATES, ("*.html", "*.txt")),
        (unmarked_signs, TEMPLATES, ("*.html",)),
        (unmarked_keys, TEMPLATES, ("*.html",)),
        (unmarked_in_script, SCRIPTS, ("*.js",)),
        (unmarked_in_python, PYTHON, ("*.py",)),
    ],
)
def test_every_word_is_marked(rule, folder, patterns):
    found = found_by(rule, folder, *patterns)
    assert {path: said for path, said in found.items() if not ENGLISH.search(path)} == {}


def test_a_script_that_says_something_knows_how():
    found = {path: path.read_text(encoding="utf-8") for path in SCRIPTS.rglob("*.js")}
    assert [path for path, source in found.items() if says_without_import(source)] == []


@cases(
    "rule, source, found",
    [
        (unmarked_in_template, "<p>Paused</p>", ["Paused"]),
        (unmarked_in_template, '<p>{% translate "Paused" %}</p>', []),
        (unmarked_in_template, "{% blocktranslate %}Image {{ n }}{% endblocktranslate %}", []),
        (unmarked_in_template, '<img alt="A photograph">', ["A photograph"]),
        (unmarked_in_template, '<input type="submit" value="Send">', ["Send"]),
        (unmarked_in_template, '<img alt="{{ words }}" data-title="x y">', []),
        (unmarked_in_template, '{% include "a.html" with title="Left one" %}', ['"Left one"']),
        (unmarked_in_template, '{% include "a.html" with title=_("Left one") %}', []),
        (unmarked_in_template, "{{ n }} image{{ n|pluralize }}", ["{{ n|pluralize }}", "image"]),
        (unmarked_in_template, "<kbd>Enter</kbd> <code>python manage.py</code>", []),
        (unmarked_in_template, "{# Needs: study. #}", []),
        (unmarked_signs, "{{ name }}: {{ value }}", [":"]),
        (unmarked_signs, "<b>{{ name }}</b>; {{ other }}", [";"]),
        (unmarked_signs, "{{ share }} %", [" %"]),
        (unmarked_signs, "“{{ name }}”", ["“", "”"]),
        (unmarked_signs, '{{ name }}{% translate ": " %}{{ value }}', []),
        (unmarked_signs, "{{ share }}&nbsp;%", []),
        (unmarked_signs, "{{ width }}:{{ height }}", []),
        (unmarked_signs, "<code>name: value</code> <kbd>?</kbd>", []),
        (unmarked_keys, "<kbd>Enter</kbd><kbd>Ctrl</kbd>", ["Enter"]),
        (unmarked_in_script, 'say("Saved. Next pair.");', ['"Saved. Next pair."']),
        (unmarked_in_script, 'say(gettext("Saved. Next pair."));', []),
        (unmarked_in_script, 'ngettext("{n} box", "{n} boxes", n)', []),
        (unmarked_in_script, "say(`Image ${n} of ${m}`);", ["`Image ${n} of ${m}`"]),
        (unmarked_in_script, 'root.querySelector("form[data-answer] input");', []),
        (unmarked_in_script, 'node.className = "button button--quiet";', []),
        (unmarked_in_script, 'node.closest?.("input, select, textarea")', []),
        (unmarked_in_script, 'throw new Error("the server answered no");', []),
        (unmarked_in_script, 'const PARTS = "photograph truth boxes".split(" ");', []),
        (unmarked_in_script, 'path.setAttribute("d", `M${x},${y}l${w},${h}`);', []),
        (unmarked_in_script, 'node.textContent = "Left";', ['"Left"']),
        (says_without_import, 'say(gettext("Saved."))', True),
        (unmarked_in_python, 'raise Refused("Nothing to undo.")', ["Nothing to undo."]),
        (unmarked_in_python, 'raise Refused(_("Nothing to undo."))', []),
        (unmarked_in_python, 'Refused(f"{n} images lack it.")', ["x images lack it."]),
        (unmarked_in_python, 'raise Refused(_("{n} images lack it.").format(n=n))', []),
        (unmarked_in_python, '_log.info("a job ended")', []),
        (unmarked_in_python, '"""The module\'s documentation."""', []),
        (unmarked_in_python, 'x = ngettext("{n} more image", "{n} more images", n)', []),
    ],
)
def test_what_counts_as_a_word(rule, source, found):
    assert rule(source) == found


# Catalogues


@cases("language", catalogues.LANGUAGES)
def test_pages_of_annotators_and_participants_are_complete_and_fill_in_what_the_message_does(
    language,
):
    for domain in catalogues.DOMAINS:
        assert catalogues.holes(language, domain) == [], "make messages"
        assert catalogues.faults(language, domain) == []
    made = catalogues.compiled(language)
    assert [path.name for path, content in made.items() if path.read_bytes() != content] == []


# "Vous êtes invité", "Rester connecté": half of the readers are no men.
_TO_A_MAN = re.compile(
    r"\b([Vv]ous (?:vous )?(?:êtes|avez été|étiez|serez)|[Rr]ester|vous a)"
    r" (?:\w+ )??(?:connecté|déconnecté|invité|arrêté|inscrit|seul|retiré|enregistré)\b(?!\()"
)


@cases("domain", catalogues.DOMAINS)
def test_french_takes_no_reader_for_a_man(domain):
    words = " | ".join(map(str, (message.string for message in catalogues.catalogue("fr", domain))))
    assert _TO_A_MAN.findall(words) == []


def test_places_are_what_english_fills_in():
    assert catalogues.places("Image %(n)s of {total}") == {"n", "total"}
    assert catalogues.places("100 % of {{ braces }}") == set()


@cases(
    "french, is_whole",
    [
        (("Une image", "{n} images"), True),
        (("{n} image", "{n} images"), True),
        (("Une image", "Une image"), False),
    ],
)
def test_only_one_thing_need_not_say_its_number(french, is_whole):
    message = Message(("One image", "{n} images"), french)
    assert (catalogues.fault_of(message) == "") is is_whole
