"""Planning a study: the page, its map, the API, and the messages if little is known."""

import re
from dataclasses import asdict
from urllib.parse import parse_qs, urlsplit

import pytest
from django.urls import reverse

from annotate.design.planning.services import question_of
from annotate.drilldown.selectors import mistakes_in
from annotate.figures.themes import Paper
from annotate.reports.pilots import pilot_of_study
from annotate.scoring.services import score_protocol
from rankings.design.kinds import BY_KIND
from rankings.design.pilots import DEMO, DEMO_COMPONENTS, TEN_METHODS
from rankings.design.reach import hours_in_words, reach_of_hours
from rankings.design.study_plans import SHARINGS, plan
from rankings.elicitation.error_rate import Mistakes
from tests.support.differing import two_who_differ
from tests.support.factories import (
    add_annotator,
    add_researcher,
    make_dataset,
    make_run,
    make_study,
)
from tests.support.figures import put_together
from tests.support.made_once import made_once
from tests.support.pages import flat
from tests.support.truths import rank_everything, same_truth

pytestmark = pytest.mark.django_db


made_study = made_once(two_who_differ)


def plan_of(**asked):
    return plan(*question_of(**asked))


def address(study):
    return reverse("planning:plan", args=[study.dataset.slug])


def test_a_plan_stands_there_at_once_by_the_study_that_has_rankings(researcher, study):
    response = researcher.get(address(study))
    assert response.status_code == 200
    assert response.context["pilot"] == study
    found = response.context["plan"]
    assert found.question.images == 3
    # Three pairs of three methods and a re-check, in every ranking.
    assert found.question.screens == 4
    assert found.pilot == pilot_of_study(study, "preference")


def test_without_a_pilot_it_is_the_demo_and_that_is_said(researcher, study):
    response = researcher.get(address(study), {"study": "", "people": "30", "images": "5000"})
    parts = response.context["plan"].pilot.components
    # Three methods instead of ten: (1.14 / 3) / (2.12 / 45) as much varies by image.
    assert parts["rankings"].image == pytest.approx(0.00224 * (1.14 / 3) / (2.12 / 45))
    assert parts["rankings"].annotator == DEMO_COMPONENTS["rankings"].annotator
    assert "There is no pilot" in response.text
    assert response.context["cheapest"].mark.startswith("cheapest")
    assert len(response.context["choices"]) == 2 * len(SHARINGS)


def pairs_by_hand(n):
    """Bisection places the k-th of n results among k - 1 with as many questions as halvings need."""
    return sum(next(q for q in range(n) if 2**q > k - 1) for k in range(2, n + 1))


@pytest.mark.parametrize(("n", "pairs"), [(2, 1), (5, 8), (10, 25)])
def test_pairs_of_a_plan_follow_the_number_of_methods(n, pairs):
    """Without a pilot they were those of the demo's ten methods for every dataset."""
    dataset = make_study(n, images=2).dataset
    found = plan_of(dataset=dataset, people=30, images=5000)
    assert pairs == pairs_by_hand(n)
    assert found.question.screens == pairs
    assert TEN_METHODS not in found.remarks


def test_pairs_measured_in_a_pilot_are_scaled_to_the_methods_of_the_dataset(study):
    """The pilot needs four answers for three methods, whose rankings take three pairs."""
    dataset = make_study(5, images=2).dataset
    found = plan_of(dataset=dataset, study=study, people=30, images=5000)
    assert found.question.screens == pytest.approx(4 * 8 / 3)


def test_a_plan_for_a_dataset_without_methods_says_whose_pairs_it_counts():
    found = plan_of(dataset=make_dataset(), people=30, images=5000)
    assert found.question.screens == 25
    assert TEN_METHODS in found.remarks


def test_the_advised_design_is_set_up_with_its_settings(admin, study):
    response = admin.get(address(study), {"study": "", "people": "30", "images": "5000"})
    link = response.context["advised"].address
    assert f'href="{link.replace("&", "&amp;")}"' in response.text
    parts = urlsplit(link)
    assert parts.path == reverse("setup:begin", args=[study.dataset.slug])
    given = parse_qs(parts.query, keep_blank_values=True)
    assert {name: value for name, [value] in given.items()} == {
        "min_annotators": "1",
        "max_annotators": "1",
        "methods_per_visit": "2",
        "agreement_percent": "15",
        "agreement_annotators": "3",
    }


def test_only_who_may_set_up_studies_is_led_there(researcher, study):
    text = researcher.get(address(study), {"study": "", "people": "30", "images": "5000"}).text
    assert "Set up this study" not in text


def test_too_few_people_and_one_annotator_are_said(researcher, study):
    few = researcher.get(address(study), {"study": "", "people": "3", "difference": "1"})
    assert "3 people are too few for a difference of 1 in 100 pairs" in few.text
    assert "It cannot be detected" in few.text
    one = researcher.get(address(study), {"study": "", "people": "1"})
    assert "One annotator says nothing about others" in one.text
    assert one.context["choices"] == []


def test_the_page_opens_with_a_design_where_any_difference_has_one(researcher, study):
    """Three images and twelve people do not find the usual three pairs in 100."""
    usual = researcher.get(address(study), {"study": ""})
    found = usual.context["plan"]
    assert found.cheapest is not None
    assert found.question.difference > 0.03
    assert "the smallest difference that these images and people can reveal" in usual.text
    assert f'name="difference" value="{100 * found.question.difference:g}"' in usual.text
    larger = researcher.get(address(study), {"study": "", "people": "30", "images": "5000"})
    assert larger.context["plan"].question.difference == 0.03
    assert "the smallest difference that these images and people can reveal" not in larger.text


def test_where_no_design_finds_it_a_link_asks_for_what_is_found(researcher, study):
    asked = {"study": "", "difference": "0.5", "power": "90"}
    page = researcher.get(address(study), asked)
    assert page.context["cheapest"] is None
    [link] = re.findall(r'href="([^"]*difference=[^"]*)">Use the ', flat(page.text))
    opened = researcher.get(address(study) + link.replace("&amp;", "&"))
    assert opened.context["cheapest"] is not None
    assert opened.context["plan"].question.share == 0.9


def test_a_budget_of_hours_says_what_is_found_in_it(researcher, study):
    """In two hours, three people find what the function of the command line says of the same question."""
    asked = {"study": "", "people": "3", "hours": "2", "images": "500"}
    page = researcher.get(address(study), asked)
    found = page.context["plan"]
    within = reach_of_hours(found.pilot, found.question, 2)
    said = [*hours_in_words(within, found.question, 2)]
    assert said[0].startswith("In 2 hours, 3 people find a difference of ")
    for sentence in said:
        assert sentence in flat(page.text)
    answer = researcher.get(reverse("api:plan", args=[study.dataset.slug]), asked).json()
    assert [one["least"] for one in answer["within_hours"]] == [one.least for one in within]
    few = researcher.get(address(study), asked | {"hours": "0.5"})
    assert "0.5 hours are too few for a study by 3 people." in few.text
    assert "hours are too few" not in researcher.get(address(study), asked | {"people": "1"}).text


def test_without_a_pilot_the_map_has_the_band_of_the_simulated_worlds(researcher, study):
    asked = {"study": "", "people": "30", "images": "5000"}
    figure = researcher.get(address(study), asked).context["figure"]
    assert figure.columns[-2:] == ("Fewest images", "Most images")
    assert "Area: what " in figure.caption
    [area] = [layer for layer in drawn_layers(figure) if layer["mark"]["type"] == "area"]
    assert all(row["fewest"] <= row["most"] for row in area["data"]["values"])
    own = researcher.get(address(study), {"people": "40", "images": "3000"}).context["figure"]
    assert "Area" not in own.caption
    assert own.columns[-1] == "Hours"
    assert "area" not in {layer["mark"]["type"] for layer in drawn_layers(own)}


def drawn_layers(figure):
    return put_together(figure.drawings)["narrow"]["layer"]


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("people", "0", "greater than or equal to 1"),
        ("difference", "-3", "greater than or equal to 0.1"),
        ("images", "1", "greater than or equal to 2"),
        ("power", "100", "less than or equal to 99"),
        ("seconds", "x", "Enter a number"),
        ("hours", "0", "greater than or equal to 0.1"),
        ("study", "nowhere", "Select a valid choice"),
        ("criterion", "beauty", "Select a valid choice"),
    ],
)
def test_what_is_no_question_is_said_beside_the_field(researcher, study, field, value, message):
    response = researcher.get(address(study), {field: value})
    assert response.status_code == 422
    assert message in response.text


def test_the_map_is_drawn_for_the_same_question(researcher, study):
    asked = {"study": "", "people": "30", "images": "5000"}
    response = researcher.get(address(study), asked)
    figure = response.context["figure"]
    assert not figure.is_empty
    narrow = put_together(figure.drawings)["narrow"]
    assert narrow["usermeta"] == {"paper": Paper("dark", "single").width_pt}
    [*_, (_, files)] = figure.downloads
    links = dict(files)
    assert "people=30" in links["SVG"]
    assert researcher.get(links["SVG"])["Content-Type"] == "image/svg+xml"
    path = reverse("planning:map", args=[study.dataset.slug, "svg"])
    assert researcher.get(path, {"theme": "pink"}).status_code == 404
    assert researcher.get(path, {"people": "0"}).status_code == 422


def test_a_pilot_of_somebody_else_cannot_be_named(client, study):
    other = make_study(["a", "b"])
    client.force_login(add_researcher(other))
    response = client.get(address(other), {"study": study.slug})
    assert response.status_code == 422


def test_a_pilot_too_large_to_be_looked_at_is_the_demo(researcher, study, monkeypatch):
    monkeypatch.setattr("annotate.reports.services.MAX_IMAGES_AT_ONCE", 2)
    response = researcher.get(address(study))
    assert response.context["plan"].pilot.origin == DEMO
    assert "too large to be analysed while you wait" in response.text


def test_the_api_plans_the_same(researcher, study):
    path = reverse("api:plan", args=[study.dataset.slug])
    demo = {"study": "", "people": 30, "images": 5000}
    data = researcher.get(path, demo).json()
    assert data["origin"] == "the demo"
    assert sum(choice["is_cheapest"] for choice in data["choices"]) == 1
    # Both begin from the same pilot, images and number of protocols.
    make_run(study, "Third", {"a": 0.1, "b": 0.5, "c": 0.9})
    for asked in ({}, {"study": study.slug}, demo):
        # The page replaces the default difference if no design detects it.
        shown = researcher.get(address(study), asked | {"difference": "3"}).context["plan"]
        answer = researcher.get(path, asked).json()
        assert answer["origin"] == shown.pilot.origin
        assert answer["question"] == asdict(shown.question)
    assert researcher.get(path).json()["origin"] == f"“{study}”"
    assert answer["question"]["n_protocols"] == 3
    assert researcher.get(path, {"study": "nowhere"}).status_code == 404
    assert researcher.get(path, {"people": 0}).status_code == 422


def test_a_study_that_asked_pairs_plans_studies_of_pairs(client):
    boxes = {"a": [(0, 0, 99, 39)], "b": [(0, 0, 99, 39), (200, 0, 299, 39)], "c": []}
    asked = make_study(
        ["a", "b", "c"], images=6, boxes=boxes, methods_per_visit=2, min_annotators=1
    )
    score_protocol(dataset=asked.dataset, slug="iou")
    make_run(asked, "Reversed", {"a": 0.1, "b": 0.5, "c": 0.9})
    for order in ([["a"], ["b"], ["c"]], [["a"], ["c"], ["b"]]):
        rank_everything(asked, add_annotator(asked), same_truth(order))
    client.force_login(add_researcher(asked))
    found = client.get(address(asked)).context["plan"]
    assert found.pilot.origin == f"“{asked}”"
    assert set(found.pilot.components) == {"pairs"}
    assert {choice.asking for choice in found.choices} == {"pairs"}


@pytest.mark.parametrize("n_alike", [0, 2, 3])
def test_a_plan_from_a_study_with_scenes_counts_them(researcher, study, n_alike):
    """Three images: three scenes; two scenes of 1.5 on average; one scene, which is none."""
    for image in study.images.in_order()[:n_alike]:
        image.scene = "a walk"
        image.save()
    response = researcher.get(address(study))
    parts = response.context["plan"].pilot.components["rankings"]
    assert (parts.per_scene, parts.per_group) == (1.5 if n_alike == 2 else 1, 1)
    text = " ".join(response.text.split())
    assert ("has scenes of 1.5 images on average, and tests count scenes" in text) == (n_alike == 2)


def test_the_power_after_an_unlucky_pilot_stands_beside_the_promise(researcher, study):
    """Two annotators estimate variances poorly; the demo's are not estimated by a pilot."""
    asked = {"people": "40", "images": "3000"}
    response = researcher.get(address(study), asked)
    found = response.context["plan"]
    assert 0 < found.unlucky < found.question.share
    said = (
        "in 80 % of studies or more. After the unluckiest tenth of pilots, which happen to vary least, "
        f"in {100 * found.unlucky:.0f} %."
    )
    assert said in " ".join(response.text.split())
    response = researcher.get(address(study), {"study": "", "people": "30", "images": "5000"})
    assert response.context["plan"].unlucky is None
    assert "unluckiest" not in response.text


def test_careful_insertion_takes_more_pairs_and_hours_of_whole_rankings_only(admin):
    """32.9 pairs of ten results where binary insertion with two re-checks takes 27.1; all are 45."""
    dataset = make_study(10, images=2).dataset
    address = reverse("planning:plan", args=[dataset.slug])
    asked = {"study": "", "people": "30", "images": "5000"}
    usual, careful, every = (
        admin.get(address, asked | {"strategy": way}).context
        for way in ("insertion", "careful", "every-pair")
    )
    assert usual["plan"].question.screens == 25
    assert careful["plan"].question.screens == pytest.approx(25 * 32.9 / 27.1)
    assert every["plan"].question.screens == 45
    for before, after in zip(usual["plan"].choices, careful["plan"].choices, strict=True):
        if before.n_images:
            factor = 32.9 / 27.1 if before.asking == "rankings" else 1
            assert after.answers == pytest.approx(factor * before.answers, abs=2)
            assert (after.hours > before.hours) == (factor > 1)
    assert "strategy=careful" in careful["cheapest"].address
    assert "certainty=1" in every["cheapest"].address
    assert "strategy" not in usual["cheapest"].address


def test_of_a_careful_pilot_pairs_are_scaled_to_other_ways(researcher, study):
    """Four answers of three results, by insertion with a re-check; of the others there are three."""
    study.strategy = "careful"
    study.save()
    for way, screens in (("careful", 3), ("every-pair", 3), ("insertion", 4)):
        found = researcher.get(address(study), {"strategy": way}).context["plan"]
        assert found.question.screens == pytest.approx(screens), way


def test_pairs_are_shown_by_kind_of_people(researcher, study):
    page = researcher.get(address(study), {"study": "", "people": "30", "images": "5000"})
    text = flat(page.text)
    assert "Pairs of a ranking by kind of people" in text
    for kind in BY_KIND:
        assert kind in text


def test_where_mistakes_come_again_a_plan_offers_every_pair_with_its_cost(
    researcher, study, monkeypatch
):
    """Of 20 mistakes 19 were made again: Wilson's lower limit is .76."""
    offer = "Asking every pair once takes 3 pairs and "
    assert offer not in researcher.get(address(study)).text
    assert mistakes_in(study).belong_to is None
    again = Mistakes(n=20, n_again=19, n_right=80, n_changed=8)
    monkeypatch.setattr("annotate.design.planning.services.mistakes_in", lambda _: again)
    assert offer in flat(researcher.get(address(study)).text)
    assert offer not in researcher.get(address(study), {"study": ""}).text
