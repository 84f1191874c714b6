"""The time left that commands tell follows the steps of a stage, whatever each is called."""

from io import StringIO

import pytest
from django.core.management.base import OutputWrapper

from annotate.management import reporting


@pytest.fixture
def told(monkeypatch):
    out = StringIO()
    clock = iter(range(100, 1000, 10))
    monkeypatch.setattr(reporting, "monotonic", lambda: next(clock))
    progress = reporting.TellingProgress(OutputWrapper(out))

    def tell(*steps):
        for step in steps:
            progress.tell(*step)
        return out.getvalue().splitlines()

    return tell


def test_steps_with_names_of_their_own_are_one_stage(told):
    assert told((1, 4, "Scored by IOU"), (2, 4, "Scored by TIoU"), (4, 4, "Scored by CLEval")) == [
        "  Scored by IOU: 1 of 4",
        "  Scored by TIoU: 2 of 4, about 20 s left",
        "  Scored by CLEval: 4 of 4",
    ]


def test_the_next_file_begins_a_stage_of_its_own(told):
    told((0, 8, "Reading a.zip"), (8, 8, "Reading a.zip"))
    assert told((2, 8, "Reading b.zip"), (4, 8, "Reading b.zip"))[1:] == [
        "  Reading b.zip: 2 of 8",
        "  Reading b.zip: 4 of 8, about 20 s left",
    ]
