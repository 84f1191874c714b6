"""Downloads on disk, and the dataset that they belong to."""

import json

import pytest

from tests.support.archives import zip_file
from tests.support.codabench import BULK, RESULTS, bundle_file
from tests.support.factories import make_dataset, make_image


@pytest.fixture
def bulk(tmp_path):
    return zip_file(tmp_path / "bulk_submissions.zip", BULK)


@pytest.fixture
def results(tmp_path):
    path = tmp_path / "results.json"
    path.write_text(json.dumps(RESULTS))
    return path


@pytest.fixture
def bundle(tmp_path):
    return bundle_file(tmp_path / "bundle.zip")


@pytest.fixture
def dataset(db):
    dataset = make_dataset("signs")
    for name in ("img_1", "img_2"):
        make_image(dataset, name, [(0, 0, 9, 9)])
    return dataset
