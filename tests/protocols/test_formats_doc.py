"""docs/formats.md names every format, every code and every kind of export."""

import io
import re
from pathlib import Path

import pytest

from protocols.formats import scores, writing
from protocols.formats.archives import Limits
from protocols.formats.problems import CODES
from protocols.formats.reading import FORMATS, read
from tests.support.archives import zip_bytes

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")


def rows(heading):
    section = TEXT.split(f"## {heading}\n")[1].split("\n## ")[0]
    table = [line.strip("|").split(" | ") for line in section.split("\n") if line.startswith("| ")]
    return [[cell.strip() for cell in row] for row in table if row[0].strip() != "---"][1:]


def test_every_format_is_in_the_table():
    told = [row[0] for row in rows("What is read")]
    missing = [slug for slug in FORMATS if f"`{slug}`" not in told]
    assert not missing, f"docs/formats.md, What is read, has no row for {', '.join(missing)}"
    assert told == [f"`{slug}`" for slug in FORMATS], "in the order of the registry"


def test_every_code_is_in_the_table_under_its_name():
    assert {row[0]: row[1] for row in rows("What is wrong")} == dict(CODES)


def test_every_export_is_in_the_table():
    names = [row[0].strip("`") for row in rows("What is written")]
    assert names == ["writing.write_rrc_zip", "writing.write_coco", "scores.write_scores"]
    assert all(hasattr({"writing": writing, "scores": scores}[name.split(".")[0]],
                       name.split(".")[1]) for name in names)  # fmt: skip
    for field in writing.LEFT_OUT:
        assert field in TEXT


def test_the_limits_are_those_of_the_code():
    limits = Limits()
    told = (
        f"{limits.n_entries:,} entries, {limits.entry_bytes >> 20} MiB an entry, "
        f"{limits.document_bytes >> 20} MiB a document, {limits.total_bytes >> 30} GiB in all, "
        f"packed more than {limits.ratio} times"
    )
    assert told in TEXT


@pytest.mark.parametrize("slug", ["ltrb", "quad", "polygon"])
def test_the_example_line_of_a_format_is_one(slug):
    """In the table of the page and in the description that the site shows."""
    [row] = [row for row in rows("What is read") if row[0] == f"`{slug}`"]
    shown = re.findall(r"`([^`]+)`", row[2])[0]
    described = re.search(r"as in ([\d,]+,\S+?)(?:;|$)", FORMATS[slug].description)[1]
    for line in (shown, described):
        archive = read(io.BytesIO(zip_bytes({"gt_a.txt": line})), kind="truth", format=slug)
        assert not archive.errors
        assert archive.n_regions == 1
