"""The documentation as a site: no link is broken, and nothing is asked of other hosts."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.documents import ROOT

# Resources that a browser fetches by itself.
FETCHED = re.compile(
    r"<(?:script|img|iframe|source)\b[^>]*\bsrc=\"?(https?:|//)"
    r"|<link\b[^>]*\brel=\"?(?:stylesheet|preload|preconnect|icon)\"?[^>]*\bhref=\"?(https?:|//)"
)


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    made = ("--config-file", "tools/mkdocs.yml", "--site-dir", str(folder))
    command = ["-m", "mkdocs", "build", "--strict", *made]
    built = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


def test_every_document_is_a_page(site):
    documents = [path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")]
    documents += [path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.ipynb")]
    # The paper is for a journal.
    for document in (path for path in documents if path.parts[0] != "paper"):
        stem = "" if document.stem in ("index", "README") else document.stem
        assert (site / document.parent / stem / "index.html").is_file(), document


def test_pages_of_protocols_commands_and_formats_are_in_full(site):
    page = (site / "protocols" / "iou" / "index.html").read_text(encoding="utf-8")
    assert "first, best, most, heaviest" in page
    assert page.index("Parameters") < page.index("share inside an ignored truth is ignored")
    page = (site / "reference" / "commands" / "index.html").read_text(encoding="utf-8")
    assert "text-protocols score" in page
    assert "--truth-format" in page
    page = (site / "formats" / "index.html").read_text(encoding="utf-8")
    assert "tesseract-tsv-lines" in page
    assert "formats.json" not in page


def test_every_object_of_the_python_reference_has_a_page(site):
    start = (site / "reference" / "python" / "index.html").read_text(encoding="utf-8")
    page = (site / "reference" / "python" / "score" / "index.html").read_text(encoding="utf-8")
    assert "from text_rankings.api.scoring import score" in page
    assert "Score results against ground truth" in start
    assert "The protocols by their slugs" in start
    assert "Parameters" in page
    assert "drop_broken_ignored" in page
    named = re.findall(r'href="([A-Za-z]\w*)/"', start)
    assert len(named) > 60
    assert [
        name for name in named if not (site / f"reference/python/{name}/index.html").is_file()
    ] == []


def test_explanation_begins_with_the_method_and_links_lead_to_bibliographies(site):
    start = (site / "index.html").read_text(encoding="utf-8")
    order = re.findall(r'href="explanation/([\w-]+)/"', start)
    assert order[0] == "method"
    protocols = (site / "protocols" / "index.html").read_text(encoding="utf-8")
    assert "reference/sources-protocols/" in protocols


def test_nothing_is_asked_of_other_hosts(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 60
    assert [page.name for page in pages if FETCHED.search(page.read_text(encoding="utf-8"))] == []
    styles = "".join(path.read_text() for path in site.rglob("*.css"))
    assert not re.search(r"url\([\"']?(https?:)?//", styles)


def test_it_can_be_searched_and_is_light_and_dark(site):
    start = (site / "index.html").read_text(encoding="utf-8")
    assert (site / "search" / "search_index.json").is_file()
    assert 'data-md-color-scheme="default"' in start
    assert 'data-md-color-scheme="slate"' in start


def test_the_notebook_is_a_page_with_its_drawings(site):
    page = (site / "tutorials" / "eight-detectors" / "index.html").read_text(encoding="utf-8")
    assert page.count("data:image/svg+xml;base64,") == 2


def test_documents_that_the_repository_shows_beside_the_site_lead_somewhere():
    for path in (
        ROOT / "README.md",
        ROOT / ".github/SECURITY.md",
        ROOT / ".github/CONTRIBUTING.md",
        ROOT / "ARCHITECTURE.md",
    ):
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{path.name}: {target}"
