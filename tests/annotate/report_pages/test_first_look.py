"""The report before anything is unfolded: few controls, few numbers, and a way to all the rest."""

import io
import re
from html.parser import HTMLParser

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotate.report_pages.presentation import QUESTIONS, _of_people
from annotate.reports.exports import FORMATS
from annotate.reports.services import analysed_report, asked_now, usual_settings
from annotate.studies.models import Study
from rankings.elicitation.log import CRITERIA
from rankings.output.analysis_tables import tables_of
from tests.support.drawn import Drawn, drawn_study, scored

pytestmark = [pytest.mark.django_db, pytest.mark.release]

MOST_CONTROLS, MOST_NUMBERS = 40, 150
CONTROLS = {"a", "button", "select", "textarea", "summary", "input"}
VOID = {"input", "img", "br", "meta", "link", "hr"}


class FirstLook(HTMLParser):
    """Counts what ``main`` shows: not what is in closed details, scripts, or for *More columns*."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.n_controls, self.texts, self.addresses = 0, [], []
        self._open: list[tuple[str, bool]] = []
        self.feed(text)

    def _is_hidden(self, tag: str, attributes: dict[str, str | None]) -> bool:
        classes = (attributes.get("class") or "").split()
        return (
            tag in ("script", "style")
            or "hidden" in attributes
            or bool({"further", "visually-hidden", "figure__without"} & {*classes})
            or (any(name == "closed" for name, _ in self._open[-1:]) and tag != "summary")
        )

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        in_main = tag == "main" or bool(self._open)
        if not in_main:
            return
        hidden = self._is_hidden(tag, attributes) or any(hides for _, hides in self._open)
        if "href" in attributes:
            self.addresses.append(attributes["href"])
        if not hidden and tag in CONTROLS and attributes.get("type") != "hidden":
            self.n_controls += 1
        # The sort buttons that a script adds.
        if not hidden and "data-sort" in attributes:
            self.n_controls += 1
        if tag not in VOID:
            name = "closed" if tag == "details" and "open" not in attributes else tag
            self._open.append((name, hidden))

    def handle_endtag(self, tag):
        if self._open and tag not in VOID:
            self._open.pop()

    def handle_data(self, data):
        if (
            self._open
            and not any(hides for _, hides in self._open)
            and self._open[-1][0] != "closed"
        ):
            self.texts.append(data)

    @property
    def n_numbers(self) -> int:
        return len(re.findall(r"\d+(?:[.,]\d+)*", " ".join(self.texts)))


def large_study() -> Study:
    """13 protocols and 233 images of ten methods, as in the paper."""
    methods = [f"detector-{letter}" for letter in "abcdefghij"]
    drawn = Drawn(233, methods=methods)
    study = drawn_study(233, 3, lambda image, _: drawn.seen(image, 1.0), methods)
    for at in range(13):
        scored(study, f"Protocol {chr(65 + at)}", lambda image, at=at: drawn.scores(image, at / 4))
    return study


def demo() -> Study:
    call_command("load_demo", stdout=io.StringIO())
    return Study.objects.get(slug="ten-detectors-three-readers")


@pytest.fixture(scope="module", params=[demo, large_study], ids=lambda build: build.__name__)
def study(request, module_data):
    return request.param()


def test_a_report_begins_with_few_controls_and_numbers(researcher, study):
    address = reverse("reports:report", args=[study.slug])
    for criterion in CRITERIA:
        seen = FirstLook(researcher.get(address, {"criterion": criterion}).text)
        assert 20 < seen.n_controls <= MOST_CONTROLS
        assert 50 < seen.n_numbers <= MOST_NUMBERS, seen.texts


def test_all_the_rest_is_one_opening_away(researcher, study):
    """Each table of the JSON has its place on the page, its files, and the images behind each row."""
    address = reverse("reports:report", args=[study.slug])
    page = researcher.get(address).text
    for question in QUESTIONS:
        assert f"open={question.slug}#part-{question.slug}" in page
    data = researcher.get(reverse("reports:export", args=[study.slug, "json"])).json()
    rows = data["criteria"]["recall"]["rows"]
    alike = page.count("=</th>") + page.count(" = ")
    linked = {*re.findall(r"disagreement/\?criterion=recall&amp;protocol=([^&]+)&amp;", page)}
    assert len(linked) + alike >= len(rows)
    opened = "".join(
        researcher.get(address, {"open": "all", "criterion": criterion}).text
        for criterion in CRITERIA
    )
    asked = asked_now(study, usual_settings(study))
    for table in tables_of(analysed_report(asked)[1]):
        if table.slug == "verdicts":
            continue
        for extension in FORMATS:
            file = reverse("reports:export_table", args=[study.slug, table.slug, extension])
            assert file in opened, table.slug


@pytest.mark.parametrize(
    ("distances", "said"),
    [
        ([2.0, 1.0, None], ["a is farthest from the others: 2.00 on average over 3 images."]),
        ([1.0, 2.0, 2.001], []),
        ([1.0, None, None], []),
    ],
)
def test_the_farthest_person_is_named_if_no_other_is_as_far(distances, said):
    people = {
        name: {"distance": distance, "n_images": 3}
        for name, distance in zip("abc", distances, strict=True)
    }
    assert _of_people({"agreement": {"kendall_w": None}, "annotators": people}) == said
