"""T44: notes reach the image page, their list and the raw data, and are part of no ranking. T39: coverage."""

import json

import pytest
from django.urls import reverse

from annotate.exchange import raw
from annotate.exchange.own_answers import own_answers
from annotate.judging import services
from annotate.judging.models import Judgement, Note
from annotate.judging.personal_data import answers, erase_texts
from annotate.judging.replay import rankings_that_differ
from tests.support.factories import add_annotator, add_researcher, make_study
from tests.support.made_once import made_once
from tests.support.truths import judged, rank_everything, same_truth

pytestmark = pytest.mark.django_db
AB = same_truth([["alpha-net"], ["beta-net"], ["gamma-net"]])
EQUAL = {"recall": "equal", "precision": "equal", "preference": "equal"}
PLACE = {"side": "right", "at": [120.4, 340]}
JSON = {"Accept": "application/json"}

made_study = made_once(lambda: make_study(["alpha-net", "beta-net", "gamma-net"], images=2))


@pytest.fixture
def turn(study, annotator):
    return services.start(study=study, annotator=annotator).turn


@pytest.fixture
def url(turn):
    return reverse("judging:note", args=[turn.screen.public_id])


@pytest.fixture
def page(client, annotator):
    client.force_login(annotator)
    return client


def pinned(turn, annotator, text="Is this text?", **fields):
    screen_id = turn.screen.public_id
    return services.pin_note(screen_id=screen_id, annotator=annotator, text=text, **fields)


def test_t44_a_note_is_kept_with_and_without_scripts(page, turn, url):
    sent = {"text": "Is this text?", "discuss": "on", "place": json.dumps(PLACE)}
    response = page.post(url, sent, headers=JSON)
    assert response.json() == {"message": "Note kept."}
    response = page.post(url, {"text": "Both cut the word."}, follow=True)
    assert "Note kept." in response.text
    first, second = Note.objects.order_by("pk")
    assert (first.text, first.discuss, first.place) == ("Is this text?", True, PLACE)
    assert first.result == turn.screen.right
    assert (second.text, second.discuss, second.place) == ("Both cut the word.", False, None)
    assert second.result is None


@pytest.mark.parametrize(
    "place",
    [
        "nonsense",
        '{"side": "top", "at": [1, 2]}',
        '{"side": "left", "at": [1]}',
        '{"side": "left"}',
    ],
)
def test_t44_a_note_with_a_damaged_place_is_about_the_pair(page, url, place):
    page.post(url, {"text": "Look.", "place": place}, headers=JSON)
    assert Note.objects.get().place is None


def test_t44_a_note_needs_words_and_an_own_screen(page, url, study, client):
    response = page.post(url, {"text": " "}, headers=JSON)
    assert (response.status_code, response.json()) == (
        422,
        {"errors": {"text": "Write a few words."}},
    )
    assert "Write a few words." in page.post(url, {"text": ""}, follow=True).text
    client.force_login(add_annotator(study))
    assert client.post(url, {"text": "Mine?"}, headers=JSON).status_code == 404
    assert not Note.objects.exists()


def test_t44_a_note_is_part_of_no_ranking_and_of_no_answer(study, annotator, turn):
    pinned(turn, annotator)
    rank_everything(study, annotator, AB)
    assert [differs for _, differs in rankings_that_differ()] == [False, False]
    pinned(turn, annotator, "Long after the answer.")
    assert Note.objects.filter(screen=turn.screen).count() == 2


def test_t44_researchers_find_notes_at_the_image_and_in_a_list_to_discuss(
    client, study, annotator, turn
):
    pinned(turn, annotator, "Is this <text>?", place=PLACE, discuss=True)
    pinned(turn, annotator, "Only a remark.")
    client.force_login(add_researcher(study))
    image = turn.assignment.image.name
    text = client.get(reverse("evidence:image", args=[study.slug, image])).text
    assert "Is this &lt;text&gt;?" in text
    assert f"on {turn.screen.right.method.name} at 120, 340" in text
    notes = reverse("evidence:notes", args=[study.slug])
    everything, to_discuss = client.get(notes).text, client.get(notes, {"discuss": 1}).text
    assert "Only a remark." in everything
    assert annotator.username in everything
    assert "Only a remark." not in to_discuss
    assert "Is this &lt;text&gt;?" in to_discuss
    assert annotator.username not in client.get(notes, {"pseudonyms": 1}).text
    for page in ("studies:detail", "reports:report"):
        address = reverse(page, args=[study.slug])
        assert notes in client.get(address, {"open": "all"}).text


def test_t44_the_api_lists_notes_for_researchers(client, page, study, annotator, turn):
    pinned(turn, annotator, place=PLACE, discuss=True)
    pinned(turn, annotator, "Only a remark.")
    notes = reverse("api:notes", args=[study.slug])
    assert page.get(notes).status_code == 404
    client.force_login(add_researcher(study))
    remark, question = client.get(notes).json()["results"]
    assert (remark["text"], remark["place"], remark["discuss"]) == ("Only a remark.", None, False)
    assert (question["image"], question["left"], question["right"]) == (
        turn.assignment.image.name,
        turn.screen.left.method.slug,
        turn.screen.right.method.slug,
    )
    [asked] = client.get(notes, {"discuss": "true"}).json()["results"]
    assert asked == question


def test_t44_the_comparison_of_two_results_shows_their_notes_and_coverage(
    client, study, annotator, turn
):
    pinned(turn, annotator, "Is this text?", place=PLACE)
    seen = {"n": 10, "seen": 9}
    judged(turn, EQUAL, places=seen)
    client.force_login(add_researcher(study))
    url = reverse("evidence:compare", args=[study.slug, turn.assignment.image.name])
    left, right = (side.method.slug for side in (turn.screen.left, turn.screen.right))
    text = client.get(url, {"left": right, "right": left}).text
    first, second = text.split('data-pane="right"')
    assert "M120.4,340h0" in first
    assert "M120.4,340h0" not in second
    assert "Is this text?" in text
    assert "9 of 10" in text
    other = study.methods.exclude(slug__in=[left, right]).get().slug
    assert "Is this text?" not in client.get(url, {"left": left, "right": other}).text


def test_t44_raw_data_have_the_notes(study, annotator, turn):
    pinned(turn, annotator, "Is this text?", place=PLACE, discuss=True)
    head, row = b"".join(raw.content(study, "notes.csv", names=True)).decode().splitlines()
    told = dict(zip(head.split(","), row.split(",", 6), strict=False))
    assert told["annotator"] == annotator.username
    assert told["left_method"] == turn.screen.left.method.name
    assert 'right,"[120.4, 340]",Is this text?,true,' in row


def test_t44_own_data_hold_the_notes_and_erasure_removes_them(annotator, turn):
    pinned(turn, annotator, "Anna saw this.")
    assert [row["text"] for row in answers(annotator) if row["kind"] == "note"] == [
        "Anna saw this."
    ]
    erase_texts(annotator)
    assert not Note.objects.exists()


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ('{"n": 10, "seen": 9}', {"n": 10, "seen": 9}),
        ("{}", None),
        ("", None),
        ('{"n": 3, "seen": 4}', None),
        ('{"n": 3, "seen": 0}', None),
        ('{"n": "3", "seen": 1}', None),
    ],
)
def test_t39_the_places_that_were_looked_at_are_stored_with_the_answer(page, turn, sent, stored):
    answer = reverse("judging:answer", args=[turn.screen.public_id])
    assert page.post(answer, EQUAL | {"places": sent}, headers=JSON).status_code == 200
    assert Judgement.objects.get().places == stored
    [row] = raw.FILES["events.json"].rows(turn.assignment.study)
    assert row["places"] == stored


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ('{"panes": "one", "scale": 0.2812}', {"panes": "one", "scale": 0.2812}),
        ('{"panes": "beside", "scale": 1}', {"panes": "beside", "scale": 1}),
        ("null", None),
        ("", None),
        ('{"panes": "above", "scale": 1}', None),
        ('{"panes": "one", "scale": 0}', None),
        ('{"panes": "one", "scale": "1"}', None),
        ('{"panes": "one"}', None),
    ],
)
def test_t37_how_the_results_stood_is_stored_with_the_answer(page, turn, annotator, sent, stored):
    answer = reverse("judging:answer", args=[turn.screen.public_id])
    assert page.post(answer, EQUAL | {"layout": sent}, headers=JSON).status_code == 200
    assert Judgement.objects.get().layout == stored
    study = turn.assignment.study
    [row] = raw.FILES["events.json"].rows(study)
    assert row["layout"] == stored
    [own] = own_answers(study, annotator)
    assert own["layout"] == (stored and stored["panes"])
