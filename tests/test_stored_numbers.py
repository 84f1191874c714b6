"""A version of scores or tables goes up when a number changes: stored numbers of a small corpus."""

import json

import pytest

from tests.support.stored_numbers import FILE, VERSIONS, differing, now


@pytest.fixture(scope="module")
def today():
    return now()


@pytest.mark.parametrize("kind", ["scores", "tables"])
def test_numbers_of_a_version_are_those_that_were_stored_with_it(kind, today):
    """If it fails and the change is meant, the version goes up, and the numbers are written again.

    CHANGES of protocols/score_versions.py, or TABLES_VERSION of rankings/output/signature.py, and
    `python -m tests.support.stored_numbers`.
    """
    kept = json.loads(FILE.read_text(encoding="utf-8"))[kind]
    assert kept["version"] == VERSIONS[kind], "write the numbers of the new version"
    assert differing(kept["numbers"], today[kind]) == []
    assert len(kept["numbers"]) > 40


def test_a_number_that_changed_by_a_millionth_is_found(today):
    slug = "iou"
    changed = [[*today["scores"][slug][0]], *today["scores"][slug][1:]]
    changed[1] = [None if value is None else value + 1e-6 for value in changed[1]]
    assert differing(today["scores"], {**today["scores"], slug: changed}) == [slug]
