"""Texts for annotators are plain and short: on pages, in letters, and in scripts."""

import ast
import re
from pathlib import Path

from tests.support.cases import cases

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = sorted(
    path
    for room in ("judging", "learning", "accounts", "account", "privacy", "mfa", "usersessions")
    for path in (ROOT / "templates" / room).rglob("*.*")
)
SCRIPTS = sorted(
    path for room in ("judging", "learning") for path in (ROOT / "static/js" / room).glob("*.js")
)
MODULES = sorted(
    path
    for room in ("judging", "learning", "accounts")
    for path in (ROOT / "annotate" / room).glob("*.py")
    if path.name not in ("models.py", "serializers.py", "api.py", "image_order.py")
)
MOST_WORDS = 30
# Words of offices and of programs, and what was once here and sounded translated.
NOT_SAID = re.compile(
    r"\b(in order to|utili[sz]e|please note|kindly|successfully|invalid|oops|submit|successful|"
    r"click here|parameter|null|exception|gold standard|predictions?|hmean|metric|"
    r"the clock stands|what there is to see|once more|lets nobody in|left behind by)\b",
    re.IGNORECASE,
)
_INLINE = re.compile(r"</?(?:kbd|small|strong|em|b|i|span|a|label|button|time)\b[^>]*>")


def said_in(path):
    """Return the pieces of prose in a file; what a program fills in is one word."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return prose_of_python(text)
    if path.suffix == ".js":
        text = re.sub(r"^\s*//.*$", "", text, flags=re.M)
        strings = re.findall(r'"([^"\n]+)"|`([^`]+)`', text)
        return [
            re.sub(r"\$\{[^}]*\}", "it", one or other) for one, other in strings if is_prose(one)
        ]
    text = re.sub(r"\{#.*?#\}", "", text, flags=re.S)
    # Marked words appear as they are.
    text = re.sub(r"""\{%\s*translate\s+(["'])(.*?)\1.*?%\}""", r"\2", text)
    text = re.sub(r"\{%\s*plural\s*%\}", "<>", text)
    text = re.sub(r"<[^<>]*>", "<>", _INLINE.sub("", text))
    # One of two alternatives appears alone.
    text = re.sub(r"\{%-?\s*(?:if|elif|else|endif|for|empty|endfor)\b.*?%\}", "<>", text)
    text = re.sub(r"\{%.*?%\}", "", text, flags=re.S)
    text = re.sub(r"\{\{.*?\}\}", "it", text)
    return [" ".join(one.split()) for one in text.split("<>")]


def prose_of_python(text):
    tree = ast.parse(text)
    documentation = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in documentation
        and is_prose(node.value)
    ]


def is_prose(text):
    return len(text.split()) > 3


@cases("path", [*TEMPLATES, *SCRIPTS, *MODULES])
def test_t32_sentences_are_short_and_in_the_readers_words(path):
    for piece in said_in(path):
        assert not NOT_SAID.search(piece), piece
        assert "!" not in piece.replace("!=", ""), piece
        for sentence in re.split(r"(?<=[.?:;])\s", piece):
            assert len(sentence.split()) <= MOST_WORDS, sentence


def test_t32_the_search_reads_what_people_read():
    """Sentences that are known to be there are found by it."""
    said = {
        name: said_in(ROOT / name)
        for name in (
            "templates/judging/pause.html",
            "static/js/judging/advice.js",
            "annotate/judging/services.py",
        )
    }
    screen = said["templates/judging/pause.html"]
    assert any("Everything you confirmed is saved." in one for one in screen)
    assert any("How about a short break?" in one for one in said["static/js/judging/advice.js"])
    assert "Look at both results before you answer." in said["annotate/judging/services.py"]
