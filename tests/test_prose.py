"""Plain English: openings and words that the prose of the project does not use.

The rule is in .github/CONTRIBUTING.md. Quotations are in quotation marks or backquotes and do not count.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools import catalogues

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = (
    "annotate",
    "benchmarks",
    "docs",
    "protocols",
    "rankings",
    "tests",
    "text_rankings",
    "tools",
)
OPENINGS = re.compile(r"^(?:Who|Whoever|Whatever|What)\b(?![^.]*\?)")
WORDS = re.compile(
    r"\b(?:somebody|nobody|whoever|anew|stands|stood|told|be it)\b"
    r"|\b(?:is|are) said\b"
    r"|\b(?:beside|lacks|lies)\b",
    re.IGNORECASE,
)
MAYBE = re.compile(f"{WORDS.pattern}|\\bWh(?:o|at)(?:ever)?\\b", re.IGNORECASE)
# A heading may be a question without its mark: What is loaded.
IN_PAGES = re.compile(
    r"\b(?:[Ss]omebody|[Nn]obody|[Ww]hoever|anew|stands|stood|told|[Bb]eside)\b|\b(?:is|are) said\b"
)
PLACES = re.compile(r"[{][^{}]*[}]|%[(][^()]*[)]s")
QUOTED = re.compile(r"`+[^`]*`+|“[^”]*”|\"[^\"]*\"|‘[^’]*’|:\w+:`[^`]*`")
SECTION = re.compile(r"^ *(?:>>>|\.\.\. ).*$", re.MULTILINE)


def wrong_in(text: str) -> list[str]:
    """Return the openings and words of a paragraph that are out."""
    plain = QUOTED.sub("“”", text)
    opening = OPENINGS.match(plain)
    return [*([opening[0]] if opening else []), *WORDS.findall(plain)]


def prose_of(source: str) -> Iterator[tuple[int, str]]:
    """Yield each paragraph of docstrings and comments with its line."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and node.body:
            text = ast.get_docstring(node)
            for paragraph in SECTION.sub("", text or "").split("\n\n"):
                yield node.body[0].lineno, " ".join(paragraph.split())
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("#! ")


@pytest.mark.parametrize("package", PACKAGES)
def test_docstrings_and_comments_are_plain_english(package):
    found = [
        f"{path}:{line}: {', '.join(wrong)} in: {text[:80]}"
        for path in sorted(ROOT.joinpath(package).rglob("*.py"))
        if "migrations" not in path.parts
        # Parsing takes long, and most files have none of the words, not even in their code.
        and MAYBE.search(source := path.read_text(encoding="utf-8"))
        for line, text in prose_of(source)
        if (wrong := wrong_in(text))
    ]
    assert found == []


# Decisions and the changelog are records of their day.
RECORDS = {"CHANGELOG.md", *(path.name for path in (ROOT / "docs" / "decisions").glob("*.md"))}
DOCUMENTS = [
    path
    for path in sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("*/*.md")])
    if path.name not in RECORDS
]
IN_DOCUMENTS = re.compile(
    r"^(?:[-*] +|[0-9]+[.] +)?[*]*(?:Who|Whoever|Whatever)\b(?![^.]*[?])"
    r"|\b(?:[Ss]omebody|[Nn]obody|[Ww]hoever|anew|stands|stood|told|[Bb]eside)\b"
    r"|\b(?:is|are) said\b"
)


def test_documents_are_plain_english():
    found = []
    for path in DOCUMENTS:
        text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
        lines = QUOTED.sub("“”", text).splitlines()
        found += [f"{path}: {line[:80]}" for line in lines if IN_DOCUMENTS.search(line)]
    assert found == []


def test_the_changelog_has_the_form_of_keep_a_changelog():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    _, *versions = re.split(r"^## ", text, flags=re.MULTILINE)
    assert versions[0].startswith("[Unreleased]\n")
    for version in versions:
        head, *sections = re.split(r"^### ", version, flags=re.MULTILINE)
        title = r"\[Unreleased\]|\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d"
        assert re.fullmatch(title, head.splitlines()[0])
        kinds = [section.partition("\n")[0] for section in sections]
        assert len(set(kinds)) == len(kinds)
        assert set(kinds) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
        lines = re.findall(r"^- .*(?:\n  .*)*", version, flags=re.MULTILINE)
        long = [line for line in lines if len(line) > 360]
        assert long == [], "a line for each change; what a rebase brought back of older texts goes"
    assert len(versions[0].split()) < 1800


def test_pages_are_plain_english():
    catalogue = catalogues.catalogue("fr", "django")
    messages = [one.id if isinstance(one.id, tuple) else (one.id,) for one in catalogue if one.id]
    found = {text for texts in messages for text in texts if IN_PAGES.search(PLACES.sub("", text))}
    assert found == set()


@pytest.mark.parametrize(
    "text", ["Who changes an answer does not count.", "Somebody waits.", "It is told anew."]
)
def test_a_word_that_is_out_is_found(text):
    assert wrong_in(text)
    assert IN_DOCUMENTS.search(text)


def test_a_quotation_does_not_count():
    assert wrong_in('The message "Nobody waits." is `told`.') == []
