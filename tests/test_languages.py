"""Every word that people read on pages can be read in each language of the site, and is.

Three rules find words that are not marked for translation, one for templates, one for scripts and
one for Python; then the catalogues themselves. Files for other programs and for papers are always
English (tests/annotate/test_languages.py).
"""

import ast
import html
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from babel.messages.catalog import Message
from babel.messages.jslexer import Token, tokenize

from tools import catalogues

ROOT = Path(__file__).resolve().parents[1]
TEMPLATES = ROOT / "templates"
SCRIPTS = ROOT / "static" / "js"
# Rooms whose words are not marked yet; a room is only taken out of here.
_ACCOUNTS = {"account", "accounts", "admin", "dashboard", "django", "drf_spectacular", "mfa"}
_ACCOUNTS |= {"tokens", "usersessions"}
TEMPLATES_TO_DO = {path.name for path in TEMPLATES.iterdir() if path.is_dir()} | {""}
TEMPLATES_TO_DO -= {"elements", "judging", "learning", "", *_ACCOUNTS}
SCRIPTS_TO_DO = {path.name for path in SCRIPTS.iterdir() if path.is_dir()} | {""}
SCRIPTS_TO_DO -= {"", "accounts", "elements", "judging", "learning", "tokens"}
PYTHON_TO_DO = {path.name for path in ROOT.joinpath("annotate").iterdir() if path.is_dir()} | {""}
PYTHON_TO_DO -= {"judging", "learning", "", "accounts", "audit", "api"}
TEMPLATES_TO_DO -= {"studies", "stopping", "design"}
PYTHON_TO_DO -= {"studies", "progress", "dashboard", "stopping", "design"}
TEMPLATES_TO_DO -= {"imports", "datasets", "jobs", "scoring", "guide", "operations"}
SCRIPTS_TO_DO -= {"imports", "jobs", "guide"}
PYTHON_TO_DO -= {"imports", "datasets", "jobs", "scoring", "guide", "operations"}
TEMPLATES_TO_DO -= {"reports"}
SCRIPTS_TO_DO -= {"reports"}
PYTHON_TO_DO -= {"reports", "report_pages", "drilldown"}
PYTHON_TO_DO -= {"exchange", "demo"}
TEMPLATES_TO_DO -= {"publication"}
SCRIPTS_TO_DO -= {"publication"}
PYTHON_TO_DO -= {"figures", "publication"}

# Names that are the same in every language.
NAMES = {
    *(
        "ICDAR",
        "IoU",
        "JavaScript",
        "JSON",
        "CSV",
        "LaTeX",
        "BibTeX",
        "Markdown",
        "SVG",
        "PDF",
        "PNG",
        "SHA",
        "COCO",
    ),
    *(
        "px",
        "mm",
        "API",
        "DOI",
        "Python",
        "Holm",
        "Friedman",
        "Davidson",
        "Kemeny",
        "SQLite",
        "PostgreSQL",
    ),
}
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


def templates_of(rooms: set[str]) -> list[Path]:
    found = [*TEMPLATES.rglob("*.html"), *TEMPLATES.rglob("*.txt")]
    return sorted(path for path in found if _room(path, TEMPLATES) in rooms)


def _room(path: Path, folder: Path) -> str:
    parts = path.relative_to(folder).parts
    return parts[0] if len(parts) > 1 else ""


ALL_TEMPLATE_ROOMS = {_room(path, TEMPLATES) for path in TEMPLATES.rglob("*.html")}


@pytest.mark.parametrize("room", sorted(ALL_TEMPLATE_ROOMS - TEMPLATES_TO_DO))
def test_every_word_of_a_template_is_marked(room):
    found = {
        str(path.relative_to(ROOT)): said
        for path in templates_of({room})
        if (said := unmarked_in_template(path.read_text(encoding="utf-8")))
    }
    assert found == {}


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


@pytest.mark.parametrize("room", sorted(ALL_TEMPLATE_ROOMS - TEMPLATES_TO_DO))
def test_signs_between_values_can_be_translated(room):
    found = {
        str(path.relative_to(ROOT)): signs
        for path in templates_of({room})
        if path.suffix == ".html" and (signs := unmarked_signs(path.read_text(encoding="utf-8")))
    }
    assert found == {}, 'write {% translate ": " %}, and &nbsp;% behind a number'


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


def test_keys_are_named_as_the_reader_knows_them():
    """A key with a word on it, such as Enter, has another one on a French keyboard."""
    named = re.compile(r"<kbd[^>]*>([A-Z][a-z]{2,})</kbd>")
    marked = r"\{%-?\s*blocktranslate\b.*?\{%\s*endblocktranslate\s*%\}"
    found = {
        str(path.relative_to(ROOT)): names
        for path in templates_of(ALL_TEMPLATE_ROOMS | {""})
        if (
            names := {
                *named.findall(
                    re.sub(marked, "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
                )
            }
            - {"Ctrl"}
        )
    }
    assert found == {}


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


@pytest.mark.parametrize(
    "room",
    sorted({_room(path, SCRIPTS) for path in SCRIPTS.rglob("*.js")} - SCRIPTS_TO_DO - {"words"}),
)
def test_every_word_of_a_script_is_marked(room):
    found = {}
    for path in sorted(SCRIPTS.rglob("*.js")):
        if _room(path, SCRIPTS) == room:
            said = unmarked_in_script(path.read_text(encoding="utf-8"))
            if said := [each for each in said if not CODE.fullmatch(each)]:
                found[str(path.relative_to(ROOT))] = said
    assert found == {}


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


TRANSLATED = {*catalogues._KEYWORDS, "format"} - {"format"}
# Calls whose words no reader of a page sees: the server's log, and who sets the site up.
UNSEEN_CALLS = {
    *("debug", "info", "warning", "error", "exception", "critical", "log"),
    *(
        "ImproperlyConfigured",
        "Http404",
        "NotThere",
        "add_argument",
        "extend_schema",
        "OpenApiParameter",
    ),
    *("OpenApiResponse", "OpenApiExample", "CommandError", "AssertionError", "TypeError"),
    *(
        "RuntimeError",
        "NotImplementedError",
        "RunSQL",
        # Names of things in pictures.
        "marks",
        # Stored texts are English.
        "leave_out_by_rule",
        "start",
        "record",
        "execute",
        "compile",
        "Counter",
        "Histogram",
        "Gauge",
    ),
}
# Values of code that look like words.
VALUES = {
    *("several methods", "detected text", "per cent", "Roland shoes repairs", "Grand Hotel"),
    *("text/plain; charset=utf-8", "text/csv; charset=utf-8"),
    *("application/x-tex; charset=utf-8", "text/markdown; charset=utf-8"),
    'inline; filename="x"',
    # Licences, a font, and what pages and drawings say to browsers and robots.
    *("CC BY 4.0", "CC BY-SA 4.0", "CC BY-NC 4.0", "noindex, nofollow"),
    *("application/x-bibtex; charset=utf-8", "application/ld+json; charset=utf-8"),
    *("Liberation Sans, Arimo, Helvetica, Arial, sans-serif", "kept report"),
    "default-src 'none'; style-src 'sha256-x'; font-src data:",
    *("Low, methods too", "Low, pairs"),
    # How browsers identify themselves.
    *("Samsung Internet", "Mac OS X"),
}
# Modules that speak English always, and why.
ENGLISH = {
    "migrations": "what a database is made of",
    "management": "commands are for who runs the site",
    "api": "what programs ask for",
    "accounts/privacy/personal_data.py": "one file, for its person and for programs",
    **dict.fromkeys(("access.py", "errors.py", "permissions.py"), "what programmers and disks say"),
    "prepared_sql.py": "what databases are asked",
    **dict.fromkeys(("api/errors.py", "api/problems.py", "api/fields.py"), "what programs ask for"),
    **dict.fromkeys(("api/schema.py", "api/parsers.py", "api/models.py"), "what programs ask for"),
    **dict.fromkeys(("api/idempotency.py", "api/pagination.py"), "what programs ask for"),
    "serializers": "what programs ask for",
    "bundles": "what a study is moved with, by commands",
    "backups": "for who runs the site",
    "demo": "what the example holds",
    "exchange/columns.py": "what tables of raw data say of themselves",
    "exchange/own_answers.py": "what tables of raw data say of themselves",
    "exchange/rows.py": "what tables of raw data hold",
    "guide/markdown.py": "documents of protocols are English",
    "operations/health/metrics.py": "for programs that watch",
    "figures/files/font.py": "a drawing's style",
    "figures/files/svg.py": "a drawing's frame",
    "figures/files/vega.py": "a fault of the drawing program, for the log",
    "admin.py": "names of columns; rescue work is English",
    "publication/papers.py": "papers are English",
    "publication/descriptions.py": "for programs that search",
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


def modules_of(room: str) -> list[Path]:
    annotate = ROOT / "annotate"
    return [
        path
        for path in sorted(annotate.rglob("*.py"))
        if _room(path, annotate) == room
        and not any(part in ENGLISH for part in path.relative_to(annotate).with_suffix("").parts)
        and path.relative_to(annotate).as_posix() not in ENGLISH
    ]


@pytest.mark.parametrize(
    "room",
    sorted(
        {_room(path, ROOT / "annotate") for path in ROOT.joinpath("annotate").rglob("*.py")}
        - PYTHON_TO_DO
        - ENGLISH.keys()
    ),
)
def test_every_word_of_python_is_marked(room):
    found = {
        str(path.relative_to(ROOT)): said
        for path in modules_of(room)
        if (said := unmarked_in_python(path.read_text(encoding="utf-8")))
    }
    assert found == {}


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
def test_a_catalogue_has_every_word_and_no_other(language, domain):
    assert catalogues.holes(language, domain) == [], "make messages"


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
    assert (catalogues._places_fault(message) == "") is is_whole
