"""Raw data and bundles read while people answer; in transactions of their own."""

import io
import threading

import pytest
from django.core.cache import caches
from django.db import connection

from annotate.exchange import raw
from annotate.exchange.bundles.writing import write_bundle
from annotate.reports.services import asked_now, study_report
from rankings.agreement.report import Settings
from tests.support.factories import add_annotator, make_study
from tests.support.truths import rank_everything, same_truth


def read(study, name, **options):
    return b"".join(raw.content(study, name, **options)).decode()


@pytest.mark.django_db(transaction=True)
def test_a_download_keeps_nobody_from_answering_and_stands_for_one_moment(monkeypatch):
    monkeypatch.setattr("annotate.csv_tables._ROWS_AT_A_TIME", 1)
    monkeypatch.setattr("annotate.exchange.rows._IMAGES_AT_A_TIME", 1)
    study = make_study(["a", "b"], images=2)
    first, second = add_annotator(study), add_annotator(study)
    truth = same_truth([["a"], ["b"]])
    rank_everything(study, first, truth)
    before = read(study, "events.csv")

    def answer_meanwhile():
        rank_everything(study, second, truth)
        connection.close()

    reading = raw.content(study, "events.csv")
    begun = [next(reading), next(reading)]
    answering = threading.Thread(target=answer_meanwhile)
    answering.start()
    answering.join(timeout=300)
    assert not answering.is_alive(), "the answers were stored while the download went on"
    assert b"".join([*begun, *reading]).decode() == before
    assert len(read(study, "events.csv")) > len(before)


@pytest.mark.django_db(transaction=True)
def test_a_download_that_is_broken_off_leaves_nothing_open():
    study = make_study(["a", "b"])
    reading = raw.content(study, "events.csv")
    next(reading)
    reading.close()
    rank_everything(study, add_annotator(study), same_truth([["a"], ["b"]]))
    assert "annotator-1" in read(study, "events.csv")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("left_over", ["too much", "too old"])
def test_a_bundle_is_written_whatever_the_cache_of_reports_deletes(monkeypatch, left_over):
    """PostgreSQL refuses to delete in the snapshot that a bundle is read in."""
    study = make_study(["a", "b"])
    if left_over == "too old":
        study_report(asked_now(study, Settings(min_annotators=study.min_annotators)))
        with connection.cursor() as cursor:
            cursor.execute("UPDATE shared_reports SET expires = '2025-01-01'")
    else:
        caches["reports"].set_many({"one": 1, "two": 2})
        monkeypatch.setattr(caches["reports"], "_max_entries", 1)
    assert write_bundle(study, io.BytesIO())["methods"] == 2
