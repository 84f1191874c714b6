"""The demo's archive is of the present version, and its numbers are those computed today."""

import io
import json
import re
import zipfile
from collections import defaultdict

import pytest

from annotate.demo.services import ARCHIVE
from annotate.exchange.bundles import CHECKSUMS, VERSION
from annotate.exchange.bundles.writing import SOFTWARE
from rankings.output.signature import TABLES_VERSION
from tools.demo_archive import write_again

REMAKE = "run `make demo-archive` and commit annotate/demo/demo.zip"


def comparable(value):
    """Round numbers to nine digits, for processors differ in the last ones."""
    if isinstance(value, dict):
        return {key: comparable(member) for key, member in value.items()}
    if isinstance(value, list):
        return [comparable(member) for member in value]
    return float(f"{value:.9g}") if isinstance(value, float) else value


def entries(file):
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def whole_lists(found):
    """Join the parts of each list: their sizes depend on the last digits of their numbers."""
    whole = defaultdict(bytes)
    for name in sorted(found):
        whole[re.sub(r"-\d+\.jsonl$", ".jsonl", name)] += found[name]
    return whole


@pytest.fixture(scope="module")
def shipped():
    return entries(ARCHIVE)


def test_the_archive_is_of_the_present_version(shipped):
    """An older one would load with a note, and its report would not be compared."""
    manifest = json.loads(shipped["manifest.json"])
    assert (manifest["version"], manifest["software"]) == (VERSION, SOFTWARE), REMAKE
    head = json.loads(shipped["report.json"])["header"]
    assert head["version of the tables"] == TABLES_VERSION, REMAKE


@pytest.mark.release
@pytest.mark.django_db
def test_data_answers_scores_and_report_are_those_written_today(shipped):
    stream = io.BytesIO()
    write_again(stream)
    made, stored = whole_lists(entries(stream)), whole_lists(shipped)
    assert made.keys() == stored.keys()
    for name in made.keys() - {CHECKSUMS}:
        if made[name] == stored[name]:
            continue
        assert name.endswith((".json", ".jsonl")), REMAKE
        today, before = (
            [comparable(json.loads(line)) for line in content.splitlines()]
            if name.endswith(".jsonl")
            else comparable(json.loads(content))
            for content in (made[name], stored[name])
        )
        assert today == before, REMAKE


def test_most_of_the_study_is_finished(shipped):
    rows = [json.loads(line) for line in shipped["assignments-0001.jsonl"].splitlines()]
    finished = {row["image"] for row in rows if row["state"] == "complete"}
    assert len(finished) == 24
    # The second annotator has two images left, the third four.
    assert sum(row["state"] == "complete" for row in rows) == 3 * 24 - 2 - 4


def test_tying_all_is_not_the_nearest_in_every_table(shipped):
    """The edit distance favours ties; somewhere the first report a visitor sees has a protocol above them."""
    nearest = [
        min(table["rows"] + table["baselines"], key=lambda row: row["score"])["protocol"]
        for table in json.loads(shipped["report.json"])["criteria"].values()
    ]
    assert "all tied" in nearest, "and says where it favours them"
    assert nearest != ["all tied"] * 3


def test_everything_in_the_archive_has_a_checksum(shipped):
    sums = shipped[CHECKSUMS].decode().splitlines()
    assert {line.split("  ")[1] for line in sums} == shipped.keys() - {CHECKSUMS}
