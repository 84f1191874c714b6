"""Public pages: access, anonymity, metadata for machines, and withdrawal."""

import io
import json
import re
import zipfile
from copy import deepcopy
from hashlib import sha256

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse

from annotate.audit.models import Act, AuditEntry
from annotate.datasets.models import Dataset
from annotate.exchange.bundles.reading import import_study
from annotate.judging.models import Skip
from annotate.publication import files, services, work
from annotate.publication.errors import NotPublished
from annotate.publication.models import PublicPage
from annotate.reports.models import KeptReport
from annotate.reports.services import available_runs
from annotate.studies.exclusions import decide
from annotate.studies.models import Study
from annotate.studies.services import remove_member
from rankings.agreement.report import Settings
from tests.support.factories import (
    add_annotator,
    add_researcher,
    make_person,
    make_run,
    make_study,
)
from tests.support.headers import check_headers
from tests.support.kept import keep_report
from tests.support.made_once import made_once
from tests.support.pages import flat
from tests.support.truths import rank_everything, same_truth

pytestmark = pytest.mark.django_db
NASTY = "</script><b>& \u2028 “title”"
NAMES = ("zacharias", "wilhelmina", "researcher-of-it", "Mr Confidential", "call me Ishmael")


def make_the_study():
    study = make_study(["a", "b", "c"], images=2, min_annotators=1, contact="Mr Confidential")
    people = [add_annotator(study, make_person(name)) for name in NAMES[:2]]
    for person in people:
        rank_everything(study, person, same_truth([["a"], ["b"], ["c"]]))
    make_run(study, "Right", {"a": 0.9, "b": 0.5, "c": 0.1})
    make_run(study, "Reversed", {"a": 0.1, "b": 0.5, "c": 0.9})
    researcher = add_researcher(study, make_person(NAMES[2]))
    decide(
        study=study,
        person=people[0],
        is_excluded=True,
        reason="Mr Confidential said; so did wilhelmina",
        by=researcher,
    )
    keep_report(
        study=study,
        settings=Settings(min_annotators=1),
        runs=available_runs(study),
        person=researcher,
    )
    return study, researcher


made_study = made_once(make_the_study)


@pytest.fixture
def made(made_study, db):
    return deepcopy(made_study)


@pytest.fixture
def report(made):
    return made[0].kept_reports.get()


@pytest.fixture
def publish(report, made, django_capture_on_commit_callbacks):
    def publish(**fields):
        with django_capture_on_commit_callbacks(execute=True):
            page = services.publish(
                report=report, person=made[1], **{"title": "T", "download": "nothing", **fields}
            )
        if page.download != "nothing" and not page.file:
            work.start_file(page=page, person=made[1])
        return PublicPage.objects.get(pk=page.pk)

    return publish


def address(page, name="page", **values):
    return reverse(f"public:{name}", kwargs={"address": page.address, **values})


def every_address(page):
    yield address(page)
    for extension in ("csv", "json", "tex", "md"):
        yield address(page, "file", extension=extension)
        yield address(page, "table", table="annotators", extension=extension)
    for name in ("bibtex", "described", *(["download"] if page.file else [])):
        yield address(page, name)


def get(url):
    """Return an anonymous client's response, a streamed file read and closed."""
    response = Client().get(url)
    response.body = response.getvalue()
    return response


def described_in(html):
    [text] = re.findall(r'<script type="application/ld\+json">(.*?)</script>', html, re.DOTALL)
    return json.loads(text)


def test_nobody_reads_a_report_that_is_not_public(report):
    assert not PublicPage.objects.exists()
    for guess in (str(report.pk), report.checksum, report.study.slug):
        assert get(reverse("public:page", args=[guess])).status_code == 404


def test_everybody_reads_it_without_an_account_or_a_cookie(publish):
    page = publish(download="study")
    for url in every_address(page):
        response = get(url)
        assert response.status_code == 200, url
        check_headers(response)
        assert not response.cookies, url
        assert response["Cache-Control"] == "no-cache", url
        assert Client().post(url).status_code == 405


def test_an_address_nobody_guesses_is_long_stays_and_is_not_indexed(publish):
    page = publish()
    assert len(page.address) >= 32
    for url in every_address(page):
        response = get(url)
        assert response["X-Robots-Tag"] == "noindex, nofollow", url
        assert response["Referrer-Policy"] == "no-referrer", url
    assert '<meta name="robots" content="noindex, nofollow">' in get(address(page)).text
    assert publish(title="Other").address == page.address


def test_a_chosen_address_is_listed_and_one_of_a_kind(publish, made, report):
    page = publish(address="street-signs")
    response = get("/public/street-signs/")
    assert "X-Robots-Tag" not in response
    assert "noindex" not in response.text
    other = keep_report(study=made[0], settings=Settings(min_annotators=1), runs=[], person=made[1])
    with pytest.raises(NotPublished, match="another address"):
        services.publish(report=other, person=None, title="T", address="street-signs")
    # Published again under its own address.
    assert publish(address="street-signs").pk == page.pk
    # Off the list again, under an address that was never said.
    assert publish(address="").address != page.address
    assert get("/public/street-signs/").status_code == 404


@pytest.mark.parametrize("download", ["tables", "study"])
def test_nobody_is_named_in_anything_that_is_given_out(publish, made, download):
    Skip.objects.update(text=NAMES[-1])
    page = publish(download=download, address="open")
    for url in every_address(page):
        content = get(url).body
        parts = [content]
        if url.endswith(".zip"):
            archive = zipfile.ZipFile(io.BytesIO(content))
            # Deflated streams inside would hide a name.
            parts = [archive.read(name) for name in archive.namelist()]
        for part in parts:
            for name in NAMES:
                assert name.encode() not in part, (url, name)
    assert "<dd>1 annotator</dd>" in flat(get(address(page)).text)
    assert "annotator-2" in get(address(page)).text


def test_the_whole_study_can_be_loaded_again(publish, made):
    page = publish(download="study")
    content = get(address(page, "download")).body
    assert (sha256(content).hexdigest(), len(content)) == (page.file_sha256, page.file_bytes)
    # As on a site that has neither.
    Dataset.objects.update(name="another", slug="another")
    Study.objects.update(name="another", slug="another")
    loaded = import_study(io.BytesIO(content))
    assert loaded.notes == []
    assert loaded.study.exclusions.get().reason == "not told in this bundle"


def test_machines_read_a_dataset_of_schema_org(publish):
    page = publish(title=NASTY, authors="Somebody Famous", doi="10.5281/zenodo.1", download="study")
    html = get(address(page)).text
    described = described_in(html)
    assert described == get(address(page, "described")).json()
    # Once in the title, the heading and the description each, and never as markup.
    assert "</script><b>" not in html
    assert described["@type"] == "Dataset"
    assert described["name"] == NASTY
    assert 50 <= len(described["description"]) <= 5000
    assert described["identifier"] == "https://doi.org/10.5281/zenodo.1"
    assert described["creator"]["name"] == "Somebody Famous"
    for given in described["distribution"]:
        content = get(given["contentUrl"].removeprefix("http://testserver")).body
        if "sha256" in given:
            assert sha256(content).hexdigest() == given["sha256"]
    assert len(described["distribution"]) == 3


def test_rows_are_named_as_the_files_name_them_in_french_too(publish):
    page = flat(Client().get(address(publish()), headers={"accept-language": "fr"}).text)
    assert '<th scope="row">all tied</th>' in page
    assert '<th scope="row">Right</th>' in page


def test_one_annotator_is_one_annotator_to_machines(publish):
    # The other is left out.
    described = described_in(get(address(publish())).text)["description"]
    assert ": 1 annotator ranked the results of 3 methods on 2 images of " in described


def test_a_method_with_a_comma_in_its_name_is_one_method(made):
    study, researcher = made
    n = study.methods.count()
    study.methods.filter(pk=study.methods.first().pk).update(name="EAST, fine-tuned, twice")
    kept = keep_report(
        study=study,
        settings=Settings(min_annotators=1),
        runs=available_runs(study),
        person=researcher,
    )
    page = services.publish(report=kept, person=researcher, title="T", download="nothing")
    described = described_in(get(address(page)).text)
    assert f"the results of {n} methods on" in described["description"]


def test_it_says_how_to_cite(publish):
    page = publish(
        title="Do protocols agree?", authors="A. Lovelace and Ä. Öst & Co", doi="10.1234/x_y"
    )
    said = "A. Lovelace and Ä. Öst &amp; Co. Do protocols agree? 20"
    html = get(address(page)).text
    assert said in html
    assert "https://doi.org/10.1234/x_y" in html
    bib = get(address(page, "bibtex")).text
    assert r"author = {{A. Lovelace and Ä. Öst \& Co}}" in bib
    assert r"doi = {10.1234/x\_y}" in bib


@pytest.mark.parametrize("doi", ["zenodo.1", "10.1/x", "10.1234/", "https://doi.org/10.1234/x"])
def test_a_doi_that_is_none_is_refused(publish, doi):
    with pytest.raises(ValidationError, match="DOI begins with"):
        publish(doi=doi)


def test_taken_away_is_gone_at_once_with_its_file(
    publish, made, report, django_capture_on_commit_callbacks
):
    page = publish(download="study")
    path = files.path_of(page)
    urls = list(every_address(page))
    with django_capture_on_commit_callbacks(execute=True):
        services.withdraw(page=page, person=made[1])
    assert [get(url).status_code for url in urls] == [404] * len(urls)
    assert not path.exists()
    assert KeptReport.objects.filter(pk=report.pk).exists()


def test_a_public_page_outlives_the_rights_of_the_person_who_published_it(publish, made, client):
    """It is the study's: the former member cannot touch it, and those who follow the study can."""
    study, publisher = made
    page = publish()
    api = f"/api/v1/reports/{page.report_id}/public"
    form = reverse("publication:publish", args=[study.slug, page.report_id])
    remove_member(membership=study.memberships.get(person=publisher))
    client.force_login(publisher)
    sent = {"title": "Mine", "download": "study"}
    assert client.put(api, sent, "application/json").status_code == 404
    assert client.delete(api).status_code == 404
    assert client.post(form, {**sent, "licence": "", "confirmed": "on"}).status_code == 404
    assert client.post(f"{form}withdraw/").status_code == 404
    assert PublicPage.objects.values_list("title", "download").get() == ("T", "nothing")
    assert get(address(page)).status_code == 200
    client.force_login(add_researcher(study, make_person("another researcher")))
    assert client.delete(api).status_code == 204
    assert get(address(page)).status_code == 404


def test_every_act_is_in_the_log_without_a_secret_address(publish, made):
    page = publish()
    publish(title="Other")
    services.withdraw(page=PublicPage.objects.get(), person=made[1])
    entries = AuditEntry.objects.filter(act__contains="publi").order_by("pk")
    assert [entry.act for entry in entries] == [
        Act.REPORT_PUBLISHED,
        Act.PUBLICATION_CHANGED,
        Act.PUBLICATION_WITHDRAWN,
    ]
    for entry in entries:
        assert entry.actor == made[1]
        assert entry.study == made[0]
        assert page.address not in json.dumps([entry.what, entry.details])


def test_a_report_that_was_tampered_with_is_not_published(publish, report):
    KeptReport.objects.update(content=report.content.replace("Right", "Wrong"))
    report.refresh_from_db()
    with pytest.raises(NotPublished, match="checksum differs"):
        publish()


def test_a_file_that_is_lost_is_written_again(publish):
    page = publish(download="study")
    files.path_of(page).unlink()
    assert get(address(page, "download")).status_code == 404
    work.write_missing()
    assert get(address(page, "download")).status_code == 200


def test_the_api_publishes_changes_and_takes_away(client, made, report):
    client.force_login(made[1])
    url = f"/api/v1/reports/{report.pk}/public"

    def put(**sent):
        return client.put(url, {"title": "T", "download": "nothing", **sent}, "application/json")

    said = put(address="open-signs", doi="10.5281/zenodo.1").json()
    assert said["url"] == "http://testserver/public/open-signs/"
    assert client.get(url).json() == said
    assert get("/public/open-signs/").status_code == 200
    refused = put(doi="nonsense")
    assert (refused.status_code, "A DOI begins with 10." in refused.text) == (422, True)
    assert client.delete(url).status_code == 204
    assert client.get(url).status_code == 404
    assert get("/public/open-signs/").status_code == 404


class TestTheForm:
    SENT = {"title": "T", "download": "nothing", "licence": "", "confirmed": "on"}

    @pytest.fixture
    def client(self, client, made):
        client.force_login(made[1])
        return client

    @pytest.fixture
    def url(self, report):
        return reverse("publication:publish", args=[report.study.slug, report.pk])

    def test_what_becomes_public_is_said_and_confirmed(self, client, url):
        assert "1 annotator is left out, but not who" in client.get(url).text
        refused = client.post(url, {**self.SENT, "confirmed": ""})
        assert refused.status_code == 422
        assert "Read what becomes public" in refused.text
        assert not PublicPage.objects.exists()

    def test_it_publishes_changes_and_takes_away(self, client, url):
        assert client.post(url, self.SENT).status_code == 302
        page = PublicPage.objects.get()
        assert address(page) in client.get(url).text
        assert 'value="T"' in client.get(url).text
        client.post(url, {**self.SENT, "doi": "10.5281/zenodo.2"})
        assert PublicPage.objects.get().doi == "10.5281/zenodo.2"
        client.post(f"{url}withdraw/")
        assert not PublicPage.objects.exists()

    def test_what_is_wrong_is_said_beside_its_field(self, client, url):
        refused = client.post(url, {**self.SENT, "doi": "nonsense", "address": "a b"})
        assert refused.status_code == 422
        assert "A DOI begins with 10." in refused.text
        assert "valid “slug”" in refused.text


def test_a_public_page_speaks_the_readers_language_and_its_files_english(publish):
    page = publish(download="study", title="As it was written")
    french, english = (
        Client().get(address(page), headers={"accept-language": language})
        for language in ("fr", "en")
    )
    assert "Pour citer" in french.text
    assert "As it was written" in french.text
    assert described_in(french.text) == described_in(english.text)
    assert "1 annotateur" in french.text
    for url in every_address(page):
        if url != address(page):
            content = [
                Client().get(url, headers={"accept-language": language}).getvalue()
                for language in ("fr", "en")
            ]
            assert content[0] == content[1], url
