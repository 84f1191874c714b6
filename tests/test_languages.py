"""Annotators and participants can read every word of their pages in each language of the site.

Three rules find words that are not marked for translation, one for templates, one for scripts and
one for Python; then the catalogues themselves. Other pages are in English where a translation is
missing. Files for other programs and for papers are always English (tests/annotate/test_languages.py).
"""

import ast
import html
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from babel.messages.catalog import Message
from babel.messages.jslexer import Token, tokenize

from tools import catalogues

ROOT = Path(__file__).resolve().parents[1]
TEMPLATES = ROOT / "templates"
SCRIPTS = ROOT / "static" / "js"
# Names that are the same in every language.
_NAMES = (
    "ICDAR IoU JavaScript JSON CSV LaTeX BibTeX Markdown SVG PDF PNG SHA COCO px mm API DOI Python "
    "Holm Friedman Davidson Kemeny SQLite PostgreSQL"
)
NAMES = set(_NAMES.split())
WORD = re.compile(r"[^\W\d_]{2,}")
TAG = re.compile(r"<[^<>]*>")
SEVERAL = re.compile(r"[^\W\d_]{2,}[,;:”’]? [“‘(]?[^\W\d_]{2,}")


def unmarked(text: str) -> list[str]:
    """Return the words in a text that are no names."""
    return [word for word in WORD.findall(text) if word not in NAMES]


# Templates


SPOKEN = {
    "alt",
    "title",
    "placeholder",
    "label",
    "aria-label",
    "aria-description",
    "aria-valuetext",
}
UNSPOKEN = {"script", "style", "code", "kbd", "samp", "pre"}
# Elements without an end.
VOID = {"br", "hr", "img", "input", "link", "meta", "source", "col", "wbr", "area", "embed"}


class Text(HTMLParser):
    """Collects what a page's source says by itself."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self._inside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        is_silent = tag in UNSPOKEN or given.get("translate") == "no"
        if tag not in VOID:
            self._inside.append("silent" if is_silent else tag)
        if is_silent or "silent" in self._inside:
            return
        spoken = SPOKEN | ({"value"} if tag == "input" and given.get("type") == "submit" else set())
        self.found += [
            value
            for name, value in given.items()
            if (name in spoken or name.startswith("data-words")) and unmarked(value)
        ]

    def handle_endtag(self, tag: str) -> None:
        if self._inside and tag not in VOID:
            self._inside.pop()

    def handle_data(self, data: str) -> None:
        if "silent" not in self._inside and unmarked(data):
            self.found.append(" ".join(data.split()))


def unmarked_in_template(source: str) -> list[str]:
    source = re.sub(r"\{#.*?#\}", "", source)
    source = re.sub(r"\{% comment .*?\{% endcomment %\}", "", source, flags=re.DOTALL)
    # Classes, not words.
    source = re.sub(r"\{% block body_class %\}.*?\{% endblock %\}", "", source)
    marked = r"\{%-?\s*(blocktrans(?:late)?)\b.*?\{%\s*end\1\s*%\}"
    source = re.sub(marked, "", source, flags=re.DOTALL)
    found = [
        literal
        for tag in re.findall(r"\{%.*?%\}|\{\{.*?\}\}", source, flags=re.DOTALL)
        for literal in _said_in_tag(tag)
    ]
    reader = Text()
    reader.feed(re.sub(r"\{%.*?%\}|\{\{.*?\}\}", "", source, flags=re.DOTALL))
    return found + reader.found


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


def found_by(rule: Callable[[str], Any], folder: Path, *patterns: str) -> dict[str, Any]:
    """Return what a rule finds in the sources of annotators' and participants' pages, by path."""
    return {
        str(path.relative_to(ROOT)): said
        for pattern in patterns
        for path in sorted(folder.rglob(pattern))
        if catalogues.room(path, folder) in catalogues.ROOMS
        and (said := rule(path.read_text(encoding="utf-8")))
    }


def test_every_word_of_a_template_is_marked():
    assert found_by(unmarked_in_template, TEMPLATES, "*.html", "*.txt") == {}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("<p>Paused</p>", ["Paused"]),
        ('<p>{% translate "Paused" %}</p>', []),
        ("{% blocktranslate %}Image {{ n }}{% endblocktranslate %}", []),
        ('<img alt="A photograph">', ["A photograph"]),
        ('<img alt="{{ words }}">', []),
        ('{% include "a.html" with title="Left result" %}', ['"Left result"']),
        ('{% include "a.html" with title=_("Left result") %}', []),
        ("{{ n }} image{{ n|pluralize }}", ["{{ n|pluralize }}", "image"]),
        ("<kbd>Enter</kbd> <code>python manage.py</code>", []),
        ("{# Needs: study. #}", []),
    ],
)
def test_what_counts_as_a_word_of_a_template(source, found):
    assert unmarked_in_template(source) == found


# Signs before which languages leave a blank or none, and a number's sign that must not stand alone.
SIGN = re.compile(r"(?:^|(?<=\S))(?: ?[:;!?](?=\s|$)| %)|[“”«»]")


def unmarked_signs(source: str) -> list[str]:
    """Return the signs between what a template fills in that no catalogue can change."""
    source = re.sub(r"\{#.*?#\}", "", source)
    marked = r"\{%-?\s*(blocktrans(?:late)?)\b.*?\{%\s*end\1\s*%\}"
    source = re.sub(marked, "x", source, flags=re.DOTALL)
    source = re.sub(r"\{\{.*?\}\}|\{%\s*translate\b.*?%\}", "x", source, flags=re.DOTALL)
    source = re.sub(r"\{%.*?%\}", "", source, flags=re.DOTALL)
    source = re.sub(r"<(code|script|style|kbd|samp|pre)\b.*?</\1>", "", source, flags=re.DOTALL)
    return SIGN.findall(html.unescape(re.sub(r"<[^<>]*>", "", source)))


def test_signs_between_values_can_be_translated():
    """Write {% translate ": " %}, and &nbsp;% behind a number."""
    assert found_by(unmarked_signs, TEMPLATES, "*.html") == {}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("{{ name }}: {{ value }}", [":"]),
        ("<b>{{ name }}</b>; {{ other }}", [";"]),
        ("{{ share }} %", [" %"]),
        ("“{{ name }}”", ["“", "”"]),
        ('{{ name }}{% translate ": " %}{{ value }}', []),
        ("{{ share }}&nbsp;%", []),
        ("{{ width }}:{{ height }}", []),
        ("<code>name: value</code> <kbd>?</kbd>", []),
    ],
)
def test_what_counts_as_an_unmarked_sign(source, found):
    assert unmarked_signs(source) == found


def unmarked_keys(source: str) -> set[str]:
    """Return the keys with a word on them, such as Enter: a French keyboard has another one."""
    marked = r"\{%-?\s*blocktranslate\b.*?\{%\s*endblocktranslate\s*%\}"
    source = re.sub(marked, "", source, flags=re.DOTALL)
    return {*re.findall(r"<kbd[^>]*>([A-Z][a-z]{2,})</kbd>", source)} - {"Ctrl"}


def test_keys_are_named_as_the_reader_knows_them():
    assert found_by(unmarked_keys, TEMPLATES, "*.html") == {}


# Scripts


MARKS = {"gettext", "ngettext"}


def unmarked_in_script(source: str) -> list[str]:
    """Return strings that read like words and are no argument of gettext() or ngettext()."""
    tokens = [
        token for token in tokenize(source) if token.type not in {"linecomment", "multilinecomment"}
    ]
    found = []
    for at, token in enumerate(tokens):
        if token.type not in {"string", "template_string"} or not _reads_like_words(token.value):
            continue
        if not _is_marked(tokens, at) and not _is_code(tokens, at):
            found.append(token.value)
    return found


def _reads_like_words(literal: str) -> bool:
    text = re.sub(r"\$\{[^}]*\}", "x", literal[1:-1])
    # Selectors, addresses, classes, drawings and the like.
    if re.search(r"[\[\]#>=/<&|]|^\.|--|__|\bdata-|^[a-z-]+:|\w,\w", text):
        return False
    return bool(
        re.search(r"^[“(]?[A-Z][\w’-]*([ ,].*|[.!?:]?)$", text) and re.search("[a-z]{2}", text)
    ) or bool(
        re.search(r"[a-z]{2,} [a-z“]+ [a-z]{2,}|[.!?]$|[a-z], [a-z]{2}", text)
        and SEVERAL.search(text)
    )


def _is_marked(tokens: list[Token], at: int) -> bool:
    # The arguments before this one are strings too.
    while at >= 2 and tokens[at - 1].value == "," and tokens[at - 2].type == "string":
        at -= 2
    return at >= 2 and tokens[at - 1].value == "(" and tokens[at - 2].value in MARKS


# Functions that take selectors, and messages in the browser's log alone.
UNREAD = {"closest", "matches", "querySelector", "querySelectorAll", "Error", "TypeError"}


def _is_code(tokens: list[Token], at: int) -> bool:
    names = [token.value.split(".")[-1] for token in tokens[max(at - 4, 0) : at]]
    before = [name for name in names if name not in {"?", ""}]
    after = [token.value for token in tokens[at + 1 : at + 4] if token.value != ")"]
    is_read = before[-1:] == ["("] and bool(UNREAD.intersection(before[-2:]))
    return is_read or after[:2] == [".", "split"]


# Strings of scripts that no user sees: keys, kinds of nodes and events.
CODE = re.compile(
    r"""["'`](Escape|Enter|Tab|Space|Home|End|Page(Up|Down)|Arrow\w+|Backspace|Delete|Key[A-Z]|Digit\d|Numpad\w*"""
    r"""|(Numpad|Key)\$\{[^}]*\}|CapsLock|Shift|Control|Alt|Meta|Content-Type|Accept|POST|GET|[A-Z]\w+(Error|Element|Event)|X-\w[\w-]*|Idempotency-Key)["'`]"""
)


def test_every_word_of_a_script_is_marked():
    def rule(source: str) -> list[str]:
        return [each for each in unmarked_in_script(source) if not CODE.fullmatch(each)]

    assert found_by(rule, SCRIPTS, "*.js") == {}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('say("Saved. Next pair.");', ['"Saved. Next pair."']),
        ('say(gettext("Saved. Next pair."));', []),
        ('ngettext("{n} box", "{n} boxes", n)', []),
        ("say(`Image ${n} of ${m}`);", ["`Image ${n} of ${m}`"]),
        ('root.querySelector("form[data-answer] input");', []),
        ('node.className = "button button--quiet";', []),
        ('node.closest?.("input, select, textarea")', []),
        ('throw new Error("the server answered no");', []),
        ('const PARTS = "photograph truth boxes".split(" ");', []),
        ('path.setAttribute("d", `M${x},${y}l${w},${h}`);', []),
        ('node.textContent = "Left";', ['"Left"']),
    ],
)
def test_what_counts_as_a_word_of_a_script(source, found):
    assert unmarked_in_script(source) == found


def test_a_script_that_says_something_knows_how():
    # A script without the import runs until it has something to say.
    used, imported = r"(?<![.\w])n?gettext\(", r"import \{[^}]*gettext[^}]*\} from"
    scripts = [path for path in SCRIPTS.rglob("*.js") if path.name != "words.js"]
    found = {path: path.read_text(encoding="utf-8") for path in scripts}
    assert [
        str(path.relative_to(ROOT))
        for path, source in found.items()
        if re.search(used, source) and not re.search(imported, source)
    ] == []


# Python


TRANSLATED = set(catalogues._KEYWORDS)
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
# Modules that speak English always, and why.
ENGLISH = {
    "api": "what programs ask for",
    "serializers": "what programs ask for",
    "admin": "names of columns; rescue work is English",
    "work": "jobs store English",
    "access": "what programmers say",
    "errors": "what programmers say",
    "permissions": "what programmers say",
    "prepared_sql": "what databases are asked",
    "markdown": "documents of protocols are English",
    "attention_checks": "facts of reports, which are stored in English",
    "recruiting/(exports|selectors)": "tables and facts of reports, which are English",
    "privacy/personal_data": "one file, for its person and for programs",
}


def unmarked_in_python(source: str) -> list[str]:
    """Return strings of two words and more that are neither marked, nor documentation, nor logged."""
    tree = ast.parse(source)
    silent: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node, clean=False
        ):
            silent.add(node.body[0])
        if isinstance(node, ast.Call) and _name(node.func) in TRANSLATED | UNSEEN_CALLS:
            silent.add(node)
        if isinstance(node, ast.AnnAssign):
            silent.add(node.annotation)
        if isinstance(node, ast.FunctionDef):
            silent |= {
                each.annotation
                for each in ast.walk(node.args)
                if isinstance(each, ast.arg) and each.annotation
            }
            silent |= {node.returns} if node.returns else set()
    return list(_said_under(tree, silent))


def _said_under(node: ast.AST, silent: set[ast.AST]) -> Iterator[str]:
    if node in silent:
        # The values of a sentence may be words too.
        if isinstance(node, ast.Call) and _name(node.func) in TRANSLATED:
            for each in node.args:
                if not isinstance(each, ast.Constant):
                    yield from _said_under(each, silent)
        return
    if isinstance(node, ast.JoinedStr):
        text = "".join(
            part.value if isinstance(part, ast.Constant) else "x" for part in node.values
        )
        is_header = text in VALUES or text.startswith("attachment; filename=")
        if SEVERAL.search(TAG.sub("", text)) and not is_header:
            yield text
        return
    if (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.value not in VALUES
        and SEVERAL.search(TAG.sub("", node.value))
    ):
        yield node.value
    for child in ast.iter_child_nodes(node):
        yield from _said_under(child, silent)


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def test_every_word_of_python_is_marked():
    found = found_by(unmarked_in_python, ROOT / "annotate", "*.py")
    is_english = re.compile(rf"/({'|'.join(ENGLISH)})(?=/|\.py)")
    assert {path: said for path, said in found.items() if not is_english.search(path)} == {}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('raise Refused("There is nothing to undo.")', ["There is nothing to undo."]),
        ('raise Refused(_("There is nothing to undo."))', []),
        ('raise Refused(f"{n} images lack results.")', ["x images lack results."]),
        ('raise Refused(_("{n} images lack results.").format(n=n))', []),
        ('_log.info("a job ended")', []),
        ('"""The module\'s documentation."""', []),
        ('x = ngettext("{n} more image", "{n} more images", n)', []),
    ],
)
def test_what_counts_as_a_word_of_python(source, found):
    assert unmarked_in_python(source) == found


# Catalogues


@pytest.mark.parametrize("language", catalogues.LANGUAGES)
@pytest.mark.parametrize("domain", catalogues.DOMAINS)
def test_pages_of_annotators_and_participants_are_complete(language, domain):
    assert catalogues.holes(language, domain) == [], "make messages"


@pytest.mark.parametrize("language", catalogues.LANGUAGES)
@pytest.mark.parametrize("domain", catalogues.DOMAINS)
def test_a_translation_fills_in_what_the_message_does(language, domain):
    assert catalogues.faults(language, domain) == []


@pytest.mark.parametrize("language", catalogues.LANGUAGES)
def test_what_pages_and_scripts_read_is_made_of_the_catalogues(language):
    made = catalogues.compiled(language)
    assert [path.name for path, content in made.items() if path.read_bytes() != content] == []


# "Vous êtes invité", "Rester connecté": half of the readers are no men.
_TO_A_MAN = re.compile(
    r"\b([Vv]ous (?:vous )?(?:êtes|avez été|étiez|serez)|[Rr]ester|vous a)"
    r" (?:\w+ )??(?:connecté|déconnecté|invité|arrêté|inscrit|seul|retiré|enregistré)\b(?!\()"
)


@pytest.mark.parametrize("domain", catalogues.DOMAINS)
def test_french_takes_no_reader_for_a_man(domain):
    words = [
        each
        for message in catalogues.catalogue("fr", domain)
        for each in ((message.string,) if isinstance(message.string, str) else message.string)
    ]
    assert [each for each in words if _TO_A_MAN.search(each)] == []


def test_places_are_what_english_fills_in():
    assert catalogues.places("Image %(n)s of {total}") == {"n", "total"}
    assert catalogues.places("100 % of {{ braces }}") == set()


@pytest.mark.parametrize(
    ("french", "is_whole"),
    [
        (("Une image", "{n} images"), True),
        (("{n} image", "{n} images"), True),
        (("Une image", "Une image"), False),
    ],
)
def test_only_one_thing_need_not_say_its_number(french, is_whole):
    message = Message(("One image", "{n} images"), french)
    assert (catalogues._fault(message) == "") is is_whole
