"""Pages are in the reader's language; files and metadata are the same bytes for all readers."""

import re
from html.parser import HTMLParser

import pytest
from django.urls import reverse

from annotate.studies.models import Study
from rankings.agreement.report import Settings
from tests.support.addresses import of_a_study
from tests.support.factories import add_annotator, add_researcher, make_admin
from tests.support.kept import keep_report
from tests.support.pages import flat
from tests.support.worked import ranked_study, worked_study

pytestmark = [pytest.mark.release, pytest.mark.django_db]

# Attributes of an element that machines read.
NUMERIC = re.compile(
    r"(points|d|x|y|x1|x2|y1|y2|r|cx|cy|width|height|viewbox|value|min|max|step|data-.*|style|href|id)$"
)


@pytest.fixture
def study(db):
    return worked_study(photographs=False)


@pytest.fixture
def kept(study):
    return keep_report(study=study, settings=Settings(), runs=study.dataset.runs.all(), person=None)


def content_of(response):
    content = b"".join(response) if response.streaming else response.content
    # Personal data say when they were asked for.
    return re.sub(rb'"made": "[^"]*"', b"", content)


class Page(HTMLParser):
    """A page's words, and the attributes that machines read."""

    def __init__(self, text):
        super().__init__()
        self.words, self.attributes, self._inside = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag not in ("br", "hr", "img", "input", "link", "meta", "source", "path", "polygon"):
            # Figures are drawn and described in English.
            silent = tag in ("script", "style", "code", "figcaption") or given.get("lang") == "en"
            silent = silent or given.get("class") == "figure"
            self._inside.append("silent" if silent or given.get("translate") == "no" else tag)
        self.attributes += [
            (tag, name, value)
            for name, value in attrs
            if NUMERIC.match(name) and value and any(map(str.isdigit, value))
            # A secret of the form.
            if given.get("name") != "csrfmiddlewaretoken"
        ]

    def handle_endtag(self, tag):
        if self._inside:
            self._inside.pop()

    def handle_data(self, data):
        if "silent" not in self._inside and data.strip():
            self.words.append(re.sub(r"[ \n]+", " ", data).strip(" \n"))


def test_files_are_the_same_bytes_and_pages_have_the_same_numbers_in_every_language(
    client, study, kept
):
    # An admin sees all pages, and an annotator has a file of their own.
    client.force_login(add_annotator(study, make_admin()))
    own = [
        reverse("exchange:own_answers", args=[study.slug, extension])
        for extension in ("csv", "json")
    ]
    report = reverse("reports:report", args=[study.slug])
    more = [
        *(f"{report}?criterion=preference&distance=kemeny", f"{report}?open=all"),
        reverse("reports:export", args=[study.slug, "tex"]) + "?intervals=on",
        *(reverse("privacy:export"), reverse("guide:playground") + "?preset=importance"),
    ]
    # The form of a new entrance has codes that are drawn each time.
    of_study = [path for name, path in of_a_study(study, kept) if name != "recruiting:entrances"]
    n_files = n_pages = 0
    for address in [*own, *more, *of_study]:
        # French first: what it leaves in the cache must be English.
        french, english = (
            client.get(address, headers={"accept-language": language}) for language in ("fr", "en")
        )
        assert french.status_code == english.status_code, address
        # Not every study has every table.
        if french.status_code != 200:
            continue
        if french["Content-Type"].startswith("text/html"):
            n_pages += 1
            assert Page(french.text).attributes == Page(english.text).attributes, address
        else:
            n_files += 1
            assert content_of(french) == content_of(english), address
            assert french.get("ETag") == english.get("ETag"), address
    assert n_files > 30
    assert n_pages > 30


def test_a_report_that_was_first_read_in_french_is_english_to_the_next(researcher, study):
    address = reverse("reports:report", args=[study.slug])
    french, english = (
        researcher.get(address, headers={"accept-language": language}).text
        for language in ("fr", "en")
    )
    assert "Rapport de" in french
    assert not [word for word in Page(english).words if re.match(r"(Selon|Chaque|Rapport)\b", word)]


def test_names_given_by_people_are_not_translated(client, db):
    """The protocols are called Right and Reversed, the study Left: words of other pages."""
    study = ranked_study()
    Study.objects.update(name="Left")
    client.force_login(add_researcher(study))
    address = reverse("reports:report", args=[study.slug])
    page = client.get(address, {"open": "made"}, headers={"accept-language": "fr"}).text
    assert ">Right</a></th>" in flat(page)
    assert ">Droite<" not in page
    assert '<th scope="row">Étude</th><td>Left</td>' in flat(page)
