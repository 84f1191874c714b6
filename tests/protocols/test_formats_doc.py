"""The page of formats names every format, every code and every kind of export."""

import io
import re

from docs.make_reference import formats_page
from protocols.formats.containers.archives import Limits
from protocols.formats.problems import CODES
from protocols.formats.readers import scores
from protocols.formats.recognition.reading import FORMATS, read
from protocols.formats.writing import converting, regions
from tests.support.archives import zip_bytes
from tests.support.cases import cases

TEXT = formats_page()


def rows(heading):
    section = TEXT.split(f"## {heading}\n")[1].split("\n## ")[0]
    table = [line.strip("|").split(" | ") for line in section.split("\n") if line.startswith("| ")]
    return [[cell.strip() for cell in row] for row in table if row[0].strip() != "---"][1:]


def test_the_table_of_formats_is_that_of_the_registry():
    assert [row[0] for row in rows("What is read")] == [f"`{slug}`" for slug in FORMATS]
    assert all(of.kept for of in FORMATS.values())


def test_every_code_is_in_the_table_under_its_name():
    assert {row[0]: row[1] for row in rows("What is wrong")} == dict(CODES)


def test_every_export_is_in_the_table():
    names = [row[0].strip("`") for row in rows("What is written")]
    assert names == [
        *("writing.write_rrc_zip", "converting.write", "writing.write_coco"),
        "scores.write_scores",
    ]
    modules = {"writing": regions, "scores": scores, "converting": converting}
    assert all(hasattr(modules[name.split(".")[0]], name.split(".")[1]) for name in names)
    for field in regions.LEFT_OUT:
        assert field in TEXT


def test_the_limits_are_those_of_the_code():
    limits = Limits()
    told = (
        f"{limits.n_entries:,} entries, {limits.entry_bytes >> 20} MiB an entry, "
        f"{limits.document_bytes >> 20} MiB a document, {limits.total_bytes >> 30} GiB in all, "
        f"packed more than {limits.ratio} times"
    )
    assert told in TEXT


@cases("slug", ["ltrb", "quad", "polygon"])
def test_the_example_line_of_a_format_is_one(slug):
    described = re.search(r"as in ([\d,]+,\S+?)(?:;|$)", FORMATS[slug].description)[1]
    archive = read(io.BytesIO(zip_bytes({"gt_a.txt": described})), kind="truth", format=slug)
    assert not archive.errors
    assert archive.n_regions == 1
