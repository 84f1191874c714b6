"""A stored message is read in each language; a stored English text stays English."""

import pytest
from django.urls import reverse
from django.utils import timezone, translation

from annotate.imports.models import Draft, Import
from annotate.jobs.models import Job
from annotate.reports.models import content_of, data_of
from annotate.stored_messages import in_language
from tests.support.factories import make_admin
from tests.support.pages import flat
from text_rankings.base.i18n import Message, ngettext_noop

SCORED = Message("Score {protocol} on {dataset}", protocol="IoU", dataset="Left")


def ended(title, person):
    return Job.objects.create(
        kind="x", title=title, state="done", person=person, finished=timezone.now()
    )


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("title", "shown"),
    [
        (SCORED, "Calculer les scores de IoU sur Left"),
        ("Score IoU on Left", '<span lang="en">Score IoU on Left</span>'),
    ],
)
def test_new_rows_are_in_the_language_of_the_reader_and_old_ones_in_english(client, title, shown):
    admin = make_admin()
    job = ended(title, admin)
    client.force_login(admin)
    address = reverse("jobs:job", args=[job.pk])
    assert f"<h1>{shown}</h1>" in flat(client.get(address, headers={"accept-language": "fr"}).text)
    assert "<h1>Score IoU on Left</h1>" in flat(client.get(address).text)


@pytest.mark.django_db
def test_a_stored_message_is_found_by_its_english_words():
    ended(SCORED, None)
    assert Job.objects.get(title__contains="IoU on Left").title == "Score IoU on Left"


@pytest.mark.django_db
@pytest.mark.parametrize(
    "text", ['{"text": ', '{"text": "x", "msgid": 7}', '{"text": "x"} is no zip']
)
def test_a_plain_text_that_looks_like_a_stored_message_is_read_as_it_is(text):
    assert Job.objects.get(pk=ended(text, None).pk).title == text


@pytest.mark.django_db
def test_messages_in_json_columns_are_rendered_too():
    warning = Message("{n_missing} missing", n_missing=ngettext_noop("{n} file", "{n} files", 2))
    receipt = Import.objects.create(kind="scores", files=[], counts={}, warnings=[warning, "old"])
    receipt.refresh_from_db()
    assert receipt.warnings == ["2 files missing", "old"]
    with translation.override("fr"):
        assert list(map(in_language, receipt.warnings)) == [
            "2 fichiers missing",
            '<span lang="en">old</span>',
        ]
    assert Draft.objects.create(summary={}).summary == {}


def test_a_kept_report_is_english_and_has_the_codes_of_its_sentences():
    """A report of before messages had codes is read as well."""
    data = {"left_out": [{"image": "img_1", "reason": Message("no ranking")}], "n": 1}
    content = content_of(data)
    assert '"left_out":[{"image":"img_1","reason":"no ranking"}]' in content
    assert data_of(content) == data
    old = '{"left_out":[{"image":"img_1","reason":"no ranking"}],"n":1}'
    assert data_of(old) == data
    with translation.override("fr"):
        reasons = [in_language(data_of(of)["left_out"][0]["reason"]) for of in (content, old)]
    assert reasons == ["aucun classement", '<span lang="en">no ranking</span>']
