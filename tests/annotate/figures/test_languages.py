"""A figure on a page speaks the reader's language; what is taken for a paper is English, byte for byte."""

import json
import re
from datetime import date

import pytest
from django.urls import reverse
from django.utils import translation

from annotate.figures.files import to_svg
from annotate.figures.kinds.progress import progress_over_time
from annotate.figures.kinds.wins import win_matrix
from annotate.figures.themes import Paper
from annotate.jobs.models import Job
from tests.support.figures import ABC, DISTANCES, FACTS
from tests.support.made_once import made_once
from tests.support.worked import ranked_study

pytestmark = [pytest.mark.django_db, pytest.mark.release]
FRENCH, ENGLISH = {"accept-language": "fr"}, {"accept-language": "en"}


made_study = made_once(ranked_study)


def words_of(svg):
    return re.findall(r"<text [^>]*>([^<]*)</text>", svg)


def page(client, study, headers):
    response = client.get(reverse("figures:figures", args=[study.slug]), headers=headers)
    return {figure.name: figure for figure in response.context["figures"]}


@pytest.mark.parametrize(
    "order", [(FRENCH, ENGLISH), (ENGLISH, FRENCH)], ids=["fr first", "en first"]
)
def test_no_language_leaks_into_the_other(researcher, study, order):
    pages = {headers["accept-language"]: page(researcher, study, headers) for headers in order}
    assert pages["en"]["wins"].title == "Which protocol is nearer to people by recall"
    assert pages["en"]["wins"].columns[0] == "Protocol"
    french = pages["fr"]["wins"]
    assert french.short_title == "Quel protocole est le plus proche des annotateurs"
    assert french.columns[0] == "Protocole"
    for language, titled in (("fr", "Rang du consensus"), ("en", "Consensus rank")):
        assert titled in json.dumps(pages[language]["scores"].drawings)


def test_the_zip_of_all_figures_is_the_same_for_every_reader(researcher, study):
    made = []
    for headers in (FRENCH, ENGLISH):
        researcher.post(reverse("figures:all_figures", args=[study.slug]), headers=headers)
        job = Job.objects.latest("pk")
        file = researcher.get(reverse("jobs:file", args=[job.pk]), headers=headers)
        made.append(b"".join(file.streaming_content))
    assert made[0] == made[1]


@pytest.mark.parametrize("language", ["xx", "fr"])
def test_a_file_is_english_in_every_language(researcher, study, language):
    address = reverse("figures:figure", args=[study.slug, "scores", "svg"])
    drawn = researcher.get(address, {"language": language}, headers=FRENCH)
    assert "Consensus rank" in words_of(drawn.text)


@translation.override("fr")
def test_axes_and_cells_write_numbers_and_days_as_the_reader_does():
    cells = words_of(to_svg(win_matrix(DISTANCES, ABC), Paper(), FACTS).decode())
    assert "0,88" in cells
    key = words_of(
        to_svg(
            win_matrix(
                {"i": {f"long {n}": float(n) for n in range(30)}}, [f"long {n}" for n in range(30)]
            ),
            Paper("light", "single"),
            FACTS,
        ).decode()
    )
    assert {"Part des images", "0,5"} <= set(key)
    days = words_of(to_svg(progress_over_time([(date(2026, 2, 1), 1)]), Paper(), FACTS).decode())
    assert any(re.fullmatch(r"1 fév.* 2026", word) for word in days)
