"""The first visit page by page, as it works without JavaScript."""

import re

import pytest
from django.urls import reverse

from annotate.judging import services as judging
from annotate.learning import services
from annotate.learning.models import FirstVisit
from annotate.learning.pairs import CARDS, EXERCISES
from annotate.studies.models import Study
from tests.support.factories import add_newcomer, add_researcher, make_person, make_study
from tests.support.made_once import made_once
from tests.support.pages import flat
from tests.support.practice import as_expected, otherwise, practise

pytestmark = pytest.mark.django_db

PAGES = [
    ("welcome", []),
    ("card", [1]),
    ("practice", []),
    ("pair", [1, 1]),
    ("keys", []),
]


made_study = made_once(lambda: make_study(["method-alpha", "method-beta"]))


@pytest.fixture
def annotator(study):
    return add_newcomer(study)


@pytest.fixture
def page(client, study, annotator):
    """Asks for a page of this study's first visit as its annotator."""
    client.force_login(annotator)

    def ask(name, *arguments, sent=None, query=""):
        address = reverse(f"learning:{name}", args=[study.slug, *arguments]) + query
        return client.get(address) if sent is None else client.post(address, sent)

    return ask


@pytest.fixture
def agreed(study, annotator):
    services.give_consent(study=study, annotator=annotator)
    return FirstVisit.objects.get()


def hrefs(response):
    return re.findall(r'href="([^"]+)"', response.content.decode())


def test_the_short_introduction_describes_each_picture_once(page, agreed):
    told = re.findall(r'<svg[^>]*aria-label="([^"]+)"', page("short").text)
    assert len(told) == 2 * 5
    assert all(text.find("Left: ") > 0 for text in told[::2])
    assert all(text.startswith("Right: ") for text in told[1::2])


def test_the_welcome_says_what_is_stored_how_long_and_whom_to_ask(page, study):
    add_researcher(
        study, make_person(first_name="Ines", last_name="Kurz", email="ines@example.org")
    )
    text = page("welcome").content.decode()
    for words in ("What is stored", "How long it takes", "Ines Kurz", "mailto:ines@example.org"):
        assert words in text
    assert all(question in text for question in study.questions.values())


def test_t30_welcome_consent_and_contact_are_in_the_researchers_words(page, study, annotator):
    Study.objects.filter(pk=study.pk).update(
        welcome="We test **signs**.\n\nSecond paragraph.",
        consent="I am over 18 <script>and agree</script>.",
        contact="[Ada](mailto:ada@example.org), room 7",
    )
    text = page("welcome").content.decode()
    assert "<p>We test <strong>signs</strong>.</p>" in flat(text)
    assert "I am over 18 &lt;script&gt;and agree&lt;/script&gt;." in text
    assert '<a href="mailto:ada@example.org">Ada</a>, room 7' in flat(text)
    # The agreed text stays, whatever the study says later.
    page("welcome", sent={"agree": "on"})
    Study.objects.filter(pk=study.pk).update(consent="Something else.")
    later = page("welcome").content.decode()
    assert "I am over 18" in later
    assert "Something else" not in later


def test_without_the_tick_nobody_goes_on(page):
    response = page("welcome", sent={})
    assert response.status_code == 422
    assert "Tick the box to take part" in response.content.decode()
    assert not FirstVisit.objects.exists()


@pytest.mark.parametrize(("name", "arguments"), PAGES[1:])
def test_before_consent_every_page_leads_to_the_welcome(page, study, name, arguments):
    response = page(name, *arguments)
    assert response["Location"] == reverse("learning:welcome", args=[study.slug])


def test_before_consent_the_visit_cannot_be_finished(page, study):
    assert page("finish", sent={})["Location"] == reverse("learning:welcome", args=[study.slug])
    assert page("pair", 1, 1, sent=as_expected(EXERCISES[1][0])).status_code == 302
    assert not FirstVisit.objects.exists()


@pytest.mark.parametrize("state", [Study.State.DRAFT, Study.State.CLOSED])
@pytest.mark.parametrize(("name", "arguments"), PAGES)
def test_a_study_that_is_not_open_is_refused_in_words(page, study, agreed, state, name, arguments):
    Study.objects.update(state=state)
    response = page(name, *arguments)
    assert response.status_code == 403
    assert "is not taking answers now" in response.content.decode()
    assert page("finish", sent={}).status_code == 403


def test_t30_the_whole_visit_needs_links_and_forms_only(page, client, study, annotator):
    response = client.post(
        reverse("learning:welcome", args=[study.slug]), {"agree": "on"}, follow=True
    )
    for card in CARDS:
        assert card.title in response.content.decode()
        response = client.post(response.request["PATH_INFO"], follow=True)
    response = client.get(next(url for url in hrefs(response) if "/practice/1/1/" in url))
    for exercise in EXERCISES[1]:
        response = client.post(response.request["PATH_INFO"], as_expected(exercise), follow=True)
        text = response.content.decode()
        assert text.count("As expected.") == 2
        assert all(why.replace("'", "&#x27;") in text for why in exercise.why.values())
        response = client.get(re.search(r'href="([^"]+)"[^>]*data-next', text)[1])
    assert "Well done" in response.content.decode()
    response = client.get(next(url for url in hrefs(response) if url.endswith("/keys/")))
    begin = r'<button[^>]*name="begin"\s+value="1"[^>]*>\s*Start the study'
    assert re.search(begin, response.content.decode())
    response = client.post(
        reverse("learning:finish", args=[study.slug]), {"begin": "1"}, follow=True
    )
    assert response.redirect_chain[-1][0] == reverse("judging:judge", args=[study.slug])
    assert "data-screen-id" in response.content.decode(), "the first pair, without another page"
    assert not services.is_due(study, annotator)
    assert FirstVisit.objects.get().practice == "passed"
    for name, arguments in PAGES[:3]:
        again = client.get(reverse(f"learning:{name}", args=[study.slug, *arguments]))
        assert reverse("judging:own", args=[study.slug]) in hrefs(again)


def test_each_part_but_the_consent_can_be_skipped(page, client, study, agreed, annotator):
    assert reverse("learning:practice", args=[study.slug]) in hrefs(page("card", 1))
    assert reverse("learning:keys", args=[study.slug]) in hrefs(page("practice"))
    assert reverse("learning:keys", args=[study.slug]) in hrefs(page("pair", 1, 1))
    page("finish", sent={})
    assert not services.is_due(study, annotator)


def test_an_incomplete_answer_says_what_is_missing_and_keeps_the_rest(page, agreed):
    response = page("pair", 1, 1, sent={"recall": "left", "precision": "up"})
    text = response.content.decode()
    assert response.status_code == 422
    assert flat(text).count(">Choose left, equal or right.<") == 2
    assert re.search(r'name="recall" value="left"[^>]* checked', flat(text))
    agreed.refresh_from_db()
    assert agreed.practice_answers == []


def test_feedback_names_what_the_other_side_misses(page, agreed):
    page("pair", 1, 1, sent=otherwise(EXERCISES[1][0]))
    text = page("pair", 1, 1).content.decode()
    assert "the right result misses “Helena”" in text
    assert text.count("Not as expected.") == 2
    assert "There is no wrong answer to this one." in text


def test_after_a_round_that_is_not_passed_six_others_are_offered_once(
    page, study, annotator, agreed
):
    practise(study, annotator, 1, 0)
    response = page("practice")
    assert "Six more, if you like" in response.content.decode()
    assert reverse("learning:pair", args=[study.slug, 2, 1]) in hrefs(response)
    practise(study, annotator, 2, 0)
    text = page("practice").content.decode()
    assert "the researchers will see it" in text
    assert "You can still begin" in text


def test_the_last_pairs_feedback_is_shown_though_the_round_is_over(page, study, annotator, agreed):
    practise(study, annotator, 1)
    assert "See how it went" in page("pair", 1, 6).content.decode()


def test_the_second_round_waits_for_the_first(page, study, agreed):
    assert page("pair", 2, 1)["Location"] == reverse("learning:practice", args=[study.slug])
    assert page("pair", 1, 1, query="?again=1").status_code == 302


def test_practising_again_stores_nothing(page, study, annotator, agreed):
    practise(study, annotator, 1)
    stored = FirstVisit.objects.values().get()
    address = f"{reverse('learning:pair', args=[study.slug, 2, 1])}?again=1"
    assert address in hrefs(page("practice"))
    assert "nothing is stored" in page("pair", 2, 1, query="?again=1").content.decode()
    response = page("pair", 2, 1, query="?again=1", sent=otherwise(EXERCISES[2][0]))
    assert response.status_code == 200
    assert "Not as expected." in response.content.decode()
    assert f"{reverse('learning:pair', args=[study.slug, 2, 2])}?again=1" in hrefs(response)
    assert FirstVisit.objects.values().get() == stored


def test_somebody_who_judged_before_there_was_a_visit_may_look_and_practise(page, study, annotator):
    judging.start(study=study, annotator=annotator)
    for name, arguments in (("card", [1]), ("practice", []), ("keys", [])):
        assert page(name, *arguments).status_code == 200
    sent = as_expected(EXERCISES[1][0])
    assert page("pair", 1, 1, query="?again=1", sent=sent).status_code == 200
    assert page("finish", sent={})["Location"] == reverse("judging:judge", args=[study.slug])
    assert not FirstVisit.objects.exists()


def test_somebody_who_comes_back_goes_on_where_they_were(page, study, agreed):
    assert reverse("learning:card", args=[study.slug, 1]) in hrefs(page("welcome"))
    for number in (1, 2, 1):  # going back to one and on again loses nothing
        page("card", number, sent={})
    page("card", 5)  # and a look is no step
    assert reverse("learning:card", args=[study.slug, 3]) in hrefs(page("welcome"))
    page("card", len(CARDS), sent={})
    assert reverse("learning:practice", args=[study.slug]) in hrefs(page("welcome"))
    page("pair", 1, 1, sent=as_expected(EXERCISES[1][0]))
    assert reverse("learning:practice", args=[study.slug]) in hrefs(page("welcome"))
    assert reverse("learning:pair", args=[study.slug, 1, 2]) in hrefs(page("practice"))


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("card", [0]), ("card", [8]), ("pair", [1, 0]), ("pair", [1, 7]), ("pair", [3, 1])],
)
def test_there_are_no_other_cards_and_pairs(page, agreed, name, arguments):
    assert page(name, *arguments).status_code == 404


def test_no_page_names_a_method(page, agreed):
    for name, arguments in PAGES:
        assert b"method-" not in page(name, *arguments).content


def test_a_question_of_the_study_is_asked_in_its_own_words(page, study, agreed):
    Study.objects.update(recall_question="Who sees <more> words?")
    for name, arguments in (("welcome", []), ("card", [1]), ("pair", [1, 1])):
        assert "Who sees &lt;more&gt; words?" in page(name, *arguments).content.decode()
