"""Ten questions of a researcher: at most three clicks from the start, each answered on one screen.

The sentence on the page is compared with the numbers of the API.
"""

import io
import re
from collections import Counter

import pytest
from django.core.management import call_command
from django.urls import reverse
from playwright.sync_api import expect

from annotate.reports.services import available_runs
from annotate.studies.models import Study
from rankings.agreement.report import Settings
from tests.support.factories import add_researcher
from tests.support.kept import keep_report

SCREEN = {"width": 1440, "height": 900}
FIRST = "EVALTEX EMD (no split)"


@pytest.fixture
def study(transactional_db):
    call_command("load_demo", stdout=io.StringIO())
    return Study.objects.get(slug="ten-detectors-three-readers")


@pytest.fixture
def researcher(study):
    return add_researcher(study)


@pytest.fixture
def api(client, researcher, study):
    """Return the rows of a table of the report by recall, as the API gives them."""
    client.force_login(researcher)

    def rows(table):
        answer = client.get(reverse("api:report_table", args=[study.slug, table, "json"])).json()
        return [row for row in answer["rows"] if row.get("Criterion", "recall") == "recall"]

    return rows


@pytest.fixture
def ask(open_as, live_server, researcher):
    """Return a function that clicks links from the start page on, and reads a sentence of one screen."""
    page = open_as(researcher, viewport=SCREEN, reduced_motion="reduce")

    def ask(*links, sentence, exact=False):
        assert len(links) <= 3
        page.goto(live_server.url + reverse("home"))
        for link in links:
            page.get_by_role("link", name=link).first.click()
        found = page.locator("main :is(h2, p, dl, li)").filter(has_text=sentence).last
        expect(found).to_be_visible()
        expect(found).to_be_in_viewport(ratio=0.99)
        return found.inner_text()

    return ask


REPORT = "Report of Ten detectors, three readers"
SURE, DETECTORS = "How sure is this?", "What do people say of the detectors?"
PEOPLE, KINDS = "Who disagrees, and on which images?", "Where does it hold"
FILES = "Settings and files"


def is_told(row):
    return row["p, adjusted"] is not None and row["p, adjusted"] <= 0.05


def test_which_protocol_and_how_sure(ask, api):
    pairs = api("differences")
    of_first = [row for row in pairs if FIRST in (row["First"], row["Second"])]
    nearer = sum(is_told(row) for row in of_first)
    said = ask(REPORT, sentence="By recall, ")
    said = ask(REPORT, sentence=re.compile("^By recall, EVALTEX"))
    assert f"{FIRST} is nearer to people than {nearer} of {len(of_first)} other protocols" in said
    sure = ask(REPORT, SURE, sentence="pairs of protocols are decided")
    assert f"{sum(map(is_told, pairs))} of {len(pairs)} pairs of protocols are decided." in sure


def test_which_detector_and_why_protocols_disagree(ask, api):
    pairs, orders = api("preferencepairs"), api("standings")
    said = ask(REPORT, sentence="people prefer")
    assert f"{sum(map(is_told, pairs))} of {len(pairs)} pairs are decided" in said
    best = said.split("people prefer ")[1].split(" to ")[0]
    first_of = {row["Protocol"]: row["Order"].split(" > ")[0].split(" = ") for row in orders}
    why = ask(REPORT, DETECTORS, sentence="On these images the figures of")
    agreeing, how = re.search(
        rf"the figures of ([^.]*) put {best} first(, too|; so do)", why
    ).groups()
    of_best = [row for row in pairs if best in (row["First"], row["Second"])]
    assert (how == ", too") == all(map(is_told, of_best))
    for name, first in first_of.items():
        assert (best in first) == bool(
            re.search(rf"(^|, | and ){re.escape(name)}($|, | and )", agreeing)
        )


def test_how_many_people_more(ask, client, study, api):
    del api  # signs the client in
    link = re.compile("pairs of protocols are undecided")
    asked = ask(REPORT, link, sentence="To detect a difference of")
    difference = float(re.search(r"difference of ([0-9.]+) in 100 pairs", asked)[1]) / 100
    question = {"study": study.slug, "criterion": "recall", "difference": difference}
    plan = client.get(reverse("api:plan", args=[study.dataset.slug]), question).json()
    said = ask(REPORT, link, sentence=re.compile(r"People\s*\d+\s*Images\s*\d+\s*Answers"))
    [cheapest] = [one for one in plan["choices"] if one["is_cheapest"]]
    assert re.search(rf"Answers\s+{cheapest['answers']}\b", said)


def test_which_images_and_who_disagrees(ask, client, study, api):
    people = {row["Annotator"]: row["Distance"] for row in api("annotators")}
    farthest = max(people, key=people.__getitem__)
    said = ask(REPORT, PEOPLE, sentence="is farthest from the others")
    assert f"{farthest} is farthest from the others: {people[farthest]:.2f} on average" in said
    data = client.get(reverse("api:report", args=[study.slug])).json()
    distances = data["criteria"]["recall"]["distances"]
    mean = sum(row["IOU"] for row in distances.values()) / len(distances)
    said = ask(REPORT, re.compile("^IOU$"), sentence="the largest edit distance first")
    assert f"{len(distances)} images" in said
    assert f"the mean is {mean:.2f}" in said


def test_which_protocol_for_which_images(ask, api):
    losses = {}
    for row in api("slices"):
        if row["Protocol"] != "all tied":
            losses.setdefault((row["By"], row["Part"]), []).append(
                (row["Pairs of 100"], row["Protocol"])
            )
    n_parts = Counter(by for by, _part in losses)
    losses = {key: part for key, part in losses.items() if n_parts[key[0]] > 1}
    nearest = Counter(
        " = ".join(name for loss, name in part if loss == min(part)[0]) for part in losses.values()
    )
    [(name, n), *_] = nearest.most_common()
    said = ask(REPORT, KINDS, sentence="parts of the images the nearest protocol is")
    assert f"Over {len(losses)} parts of the images the nearest protocol is {name} ({n})" in said


def test_what_changed_since_and_how_it_is_cited(ask, client, study, researcher, api):
    del api
    settings, runs = Settings(min_annotators=1), available_runs(study)
    kept = keep_report(study=study, settings=settings, runs=runs, person=researcher)
    data = client.get(reverse("api:report", args=[study.slug])).json()

    def cells(of):
        return {
            (criterion, row["protocol"], name): row.get(name)
            for criterion, table in of["criteria"].items()
            for row in (*table["rows"], *table["baselines"])
            for name in ("best", "worst", "score")
        }

    before, now = cells(kept.data), cells(data)
    n = sum(before[key] != now[key] for key in now)
    assert 0 < n < len(now)
    said = ask(REPORT, FILES, sentence=f"Since report {kept.pk}")
    assert f"{n} of {len(now)} numbers of the tables have changed." in said
    said = ask(REPORT, "For a paper", sentence="ready to paste or as a zip")
    assert "references" in said
