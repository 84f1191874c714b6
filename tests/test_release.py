"""Files for a release: the README at the package index, the paper, and the list of open places."""

import re

from rankings import __version__
from tests.support.documents import ROOT
from tools.absolute_links import absolute

RELEASING = (ROOT / "docs/how-to/release.md").read_text(encoding="utf-8")
PAPER = (ROOT / "docs" / "paper" / "paper.md").read_text(encoding="utf-8")
ADDRESS = "https://example.org/owner/name"


def test_links_of_the_readme_become_absolute_and_lead_to_files_of_the_tag():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    made = absolute(text, ADDRESS, "v1.2.3")
    targets = re.findall(r"\]\(([^)]+)\)", made)
    assert len(targets) == len(re.findall(r"\]\(([^)]+)\)", text))
    own = [target for target in targets if target.startswith(ADDRESS)]
    assert len(own) > 10
    for target in own:
        kind, tag, path = target.removeprefix(f"{ADDRESS}/").split("/", 2)
        assert tag == "v1.2.3"
        assert (ROOT / path.partition("#")[0]).exists(), target
        assert (kind == "raw") == path.endswith((".webp", ".png", ".svg"))
    assert all(target.startswith(("https://", "http://", "#")) for target in targets)


def test_the_paper_has_the_form_of_joss():
    head, body = PAPER.split("---\n", 2)[1:]
    for field in (
        "title:",
        "tags:",
        "authors:",
        "affiliations:",
        "date:",
        "bibliography: paper.bib",
    ):
        assert re.search(rf"^{field}", head, re.MULTILINE), field
    sections = re.findall(r"^# (.+)$", body, re.MULTILINE)
    assert {"Summary", "Statement of need", "State of the field", "References"} <= set(sections)
    assert 750 <= len(body.split()) <= 1100
    cited = set(re.findall(r"@(\w+)", body))
    bibliography = (ROOT / "docs" / "paper" / "paper.bib").read_text(encoding="utf-8")
    assert cited == set(re.findall(r"^@\w+\{(\w+),", bibliography, re.MULTILINE))
    for picture in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", body):
        assert (ROOT / "docs" / "paper" / picture).is_file()


def test_what_a_person_fills_in_is_listed_with_files_that_are_there():
    table = RELEASING.split("## To fill in once")[1].split("\n\n**")[0]
    files = {name for name in re.findall(r"`([\w./-]+\.\w+)`", table) if name != "release.yml"}
    assert {"CITATION.cff", "pyproject.toml", "docs/paper/paper.md", ".github/SECURITY.md"} <= files
    assert [name for name in files if not (ROOT / name).is_file()] == []
    open_places = [
        path.relative_to(ROOT).as_posix()
        for path in (*ROOT.glob("*.*"), *ROOT.glob(".github/*.md"), *ROOT.glob("docs/**/*.md"))
        if path.is_file()
        and re.search(r"[Tt]o be filled in|Text detection rankings contributors", path.read_text())
    ]
    assert set(open_places) - {"docs/how-to/release.md", "LICENSE"} <= files


def test_the_version_is_the_same_wherever_it_is_written():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {__version__}\n" in citation
