"""Plain English: openings and words that the prose of the project does not use.

The rule is in .github/CONTRIBUTING.md. Quotations are in quotation marks or backquotes and do not count.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.support.cases import cases
from tools import catalogues

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = [
    "annotate",
    "benchmarks",
    "docs",
    "protocols",
    "rankings",
    "tests",
    "text_rankings",
    "tools",
]
# Decisions and the changelog are records of their day.
RECORDS = [ROOT / "CHANGELOG.md", *ROOT.glob("docs/decisions/*.md")]
DOCUMENTS = {*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("*/*.md")} - {*RECORDS}
WORDS = (
    r"\b(?:[Ss]omebody|[Nn]obody|[Ww]hoever|[Aa]new|[Ss]tands|[Ss]tood|[Tt]old|[Bb]eside)\b"
    r"|\b(?:is|are) said\b"
)
IN_CODE = re.compile(
    rf"{WORDS}|\b(?:[Ll]acks|[Ll]ies|[Bb]e it)\b|^(?:Who|Whoever|Whatever|What)\b(?![^.]*\?)"
)
IN_DOCUMENTS = re.compile(
    rf"{WORDS}|^(?:[-*] +|[0-9]+[.] +)?[*]*(?:Who|Whoever|Whatever)\b(?![^.]*[?])"
)
QUOTED = re.compile(r"`+[^`]*`+|“[^”]*”|\"[^\"]*\"|‘[^’]*’|:\w+:`[^`]*`")
PLACES = re.compile(r"[{][^{}]*[}]|%[(][^()]*[)]s")


def paragraphs(source: str) -> Iterator[str]:
    """Yield the comments of a module, and the paragraphs of its docstrings without their examples."""
    yield from re.findall(r"^(?:[^\"'#]*|.*  )#[! ]*(.*)$", source, flags=re.MULTILINE)
    for text in re.findall(r'"""(.*?)"""', source, flags=re.DOTALL):
        plain = re.sub(r"^ *(?:>>>|\.\.\. ).*$", "", text, flags=re.MULTILINE)
        yield from (" ".join(part.split()) for part in plain.split("\n\n"))


def wrong(pattern: re.Pattern[str], texts: Iterator[str] | list[str]) -> list[str]:
    return [text[:80] for text in texts if pattern.search(QUOTED.sub("“”", text))]


@cases("package", PACKAGES)
def test_docstrings_and_comments_are_plain_english(package):
    sources = [
        path for path in ROOT.joinpath(package).rglob("*.py") if path.parent.name != "migrations"
    ]
    found = {path: wrong(IN_CODE, paragraphs(path.read_text("utf-8"))) for path in sources}
    assert {path: texts for path, texts in found.items() if texts} == {}


def test_documents_are_plain_english():
    found = {}
    for path in DOCUMENTS:
        text = re.sub(r"^```.*?^```", "", path.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
        found[path] = wrong(IN_DOCUMENTS, QUOTED.sub("“”", text).splitlines())
    assert {path: texts for path, texts in found.items() if texts} == {}


def test_pages_are_plain_english():
    ids = [
        one.id if isinstance(one.id, tuple) else (one.id,)
        for one in catalogues.catalogue("fr", "django")
    ]
    assert [text for texts in ids for text in texts if re.search(WORDS, PLACES.sub("", text))] == []


@cases("text", ["Who changes an answer does not count.", "Somebody waits.", "It is told anew."])
def test_a_word_that_is_out_is_found(text):
    for source in (f"x = 1  # {text}\n", f'def a():\n    """{text}"""\n', f'"""A.\n\n{text}\n"""'):
        assert wrong(IN_CODE, paragraphs(source))
    assert wrong(IN_DOCUMENTS, [text])
    assert not wrong(IN_CODE, [f'The message "{text}" is `told`.'])


def test_the_changelog_has_the_form_of_keep_a_changelog():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    _, *versions = re.split(r"^## ", text, flags=re.MULTILINE)
    assert versions[0].startswith("[Unreleased]\n")
    for version in versions:
        assert re.match(r"\[(Unreleased\]|\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d)\n", version)
        kinds = re.findall(r"^### (.*)$", version, flags=re.MULTILINE)
        assert len(set(kinds)) == len(kinds)
        assert set(kinds) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
        lines = re.findall(r"^- .*(?:\n  .*)*", version, flags=re.MULTILINE)
        long = [line for line in lines if len(line) > 360]
        assert long == [], "a line for each change; what a rebase brought back of older texts goes"
    assert len(versions[0].split()) < 1800
