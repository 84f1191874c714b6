"""The first visit in a browser: by keyboard alone, accessible in both themes, at every width."""

import re

import pytest
from django.urls import reverse

from annotate.learning import services
from annotate.learning.models import FirstVisit
from annotate.learning.pairs import CARDS, EXERCISES
from tests.support.browsing import check_fits, check_page, listen, sign_in, unexpected
from tests.support.factories import add_newcomer, add_researcher, make_person, make_study
from tests.support.practice import as_expected, otherwise

KEYS = {
    "recall": {"left": "Digit1", "equal": "Digit2", "right": "Digit3"},
    "precision": {"left": "KeyQ", "equal": "KeyW", "right": "KeyE"},
    "preference": {"left": "KeyA", "equal": "KeyS", "right": "KeyD"},
}


@pytest.fixture
def study(transactional_db):
    study = make_study(["a", "b", "c"], images=2)
    add_researcher(study, make_person(first_name="Ines", email="ines@example.org"))
    return study


@pytest.fixture
def annotator(study):
    return add_newcomer(study)


@pytest.fixture
def visitor(browser, client, live_server, annotator):
    """Opens a window in which the annotator is signed in."""
    opened = []

    def open_window(**settings):
        context = browser.new_context(reduced_motion="reduce", **settings)
        sign_in(context, client, annotator, live_server)
        opened.append(context)
        page = context.new_page()
        page.complaints = listen(page)
        return page

    yield open_window
    for context in opened:
        context.close()


@pytest.fixture
def address(live_server, study):
    def of(name, *arguments):
        return live_server.url + reverse(f"learning:{name}", args=[study.slug, *arguments])

    return of


def check(page):
    """Let a page be accessible and fit, and nothing have been complained about."""
    check_page(page)
    assert unexpected(page.complaints) == []


def ready(page):
    page.locator("body[data-keys]").wait_for()


def tab_to(page, name):
    """Reach what has this name with Tab alone."""
    for _ in range(60):
        page.keyboard.press("Tab")
        told = page.evaluate(
            "(document.activeElement.labels?.[0] ?? document.activeElement).textContent"
        )
        if re.match(name, told.strip()):
            return
    raise AssertionError(f"{name} cannot be reached with Tab on {page.url}")


def answer(page, answers):
    """Give a practice answer with three keys and Enter, and wait for what is said about it."""
    ready(page)
    for criterion, verdict in answers.items():
        page.keyboard.press(KEYS[criterion][verdict])
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="What there is to see").wait_for()
    ready(page)


def test_the_whole_first_visit_by_keyboard(visitor, address, study, annotator):
    page = visitor()
    page.goto(address("welcome"))
    check(page)
    tab_to(page, "Agree and continue")
    page.keyboard.press("Enter")
    page.get_by_text("Tick the box to take part").wait_for()
    check(page)
    tab_to(page, "I have read")
    page.keyboard.press("Space")
    tab_to(page, "Agree and continue")
    page.keyboard.press("Enter")
    for number, card in enumerate(CARDS, 1):
        page.get_by_role("heading", name=card.title).wait_for()
        check(page)
        tab_to(page, "Next example" if number < len(CARDS) else "Continue to practice")
        page.keyboard.press("Enter")
    page.get_by_role("heading", name="Practice").wait_for()
    check(page)
    tab_to(page, "Start practice")
    page.keyboard.press("Enter")
    for round_number, give in ((1, otherwise), (2, as_expected)):
        for number, exercise in enumerate(EXERCISES[round_number], 1):
            page.wait_for_url(address("pair", round_number, number))
            ready(page)
            if number in (1, 6):
                check(page)
            answer(page, give(exercise))
            if number in (1, 6):
                check(page)
            page.keyboard.press("Enter")
        page.wait_for_url(address("practice"))
        check(page)
        if round_number == 1:
            tab_to(page, "Practise with six others")
            page.keyboard.press("Enter")
    tab_to(page, "Continue to the keys")
    page.keyboard.press("Enter")
    page.wait_for_url(address("keys"))
    ready(page)
    check(page)
    tab_to(page, "Try the keys")
    page.keyboard.press("Enter")
    check(page)
    train(page, wrong_first=True)
    check(page)
    tab_to(page, "Begin the study")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/judge/"))
    assert not services.is_due(study, annotator)
    visit = FirstVisit.objects.get()
    assert visit.practice == FirstVisit.Practice.PASSED
    assert len(visit.practice_answers) == 12


def train(page, *, wrong_first):
    """Press what the trainer asks for, once a wrong key before."""
    codes = {
        f"{criterion}, {words}".capitalize(): KEYS[criterion][verdict]
        for criterion in KEYS
        for verdict, words in (
            ("left", "left better"),
            ("equal", "equal"),
            ("right", "right better"),
        )
    }
    ask = page.locator("[data-ask]")
    if wrong_first:
        right = codes[ask.inner_text()]
        page.keyboard.press(next(code for code in codes.values() if code != right))
        assert page.locator("[data-said]").inner_text().startswith("That was")
        assert page.locator("kbd[data-wanted]").count() == 1
    for _ in range(18):
        page.keyboard.press(codes[ask.inner_text()])
    assert ask.inner_text() == (
        "17 of 18 right first time." if wrong_first else "All 18 right first time."
    )


def test_an_early_enter_says_what_is_missing_and_sends_nothing(visitor, address, study, annotator):
    services.give_consent(study=study, annotator=annotator)
    page = visitor()
    page.goto(address("pair", 1, 1))
    ready(page)
    page.keyboard.press("Digit1")
    page.keyboard.press("Enter")
    page.locator(
        "fieldset[data-criterion=precision]", has_text="Choose left, equal or right"
    ).wait_for()
    check(page)
    assert FirstVisit.objects.get().practice_answers == []


def test_arrows_and_the_same_key_answer_as_on_the_comparison_page(
    visitor, address, study, annotator
):
    services.give_consent(study=study, annotator=annotator)
    page = visitor()
    page.goto(address("pair", 1, 1))
    ready(page)
    for key in ("ArrowLeft", "ArrowDown", "ArrowRight", "ArrowLeft", "ArrowDown", "KeyD", "KeyD"):
        page.keyboard.press(key)
    page.keyboard.press("KeyR")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="What there is to see").wait_for()
    [stored] = FirstVisit.objects.get().practice_answers
    assert stored["answers"] == {"recall": "left", "precision": "equal", "preference": "left"}


def test_a_held_key_answers_once(visitor, address, study, annotator):
    services.give_consent(study=study, annotator=annotator)
    page = visitor()
    page.goto(address("pair", 1, 1))
    ready(page)
    for _ in range(4):
        page.keyboard.down("Digit1")
    page.keyboard.up("Digit1")
    assert page.locator("input[name=recall][value=left]").is_checked()


def test_escape_ends_the_trainer(visitor, address, study, annotator):
    services.give_consent(study=study, annotator=annotator)
    page = visitor()
    page.goto(address("keys"))
    ready(page)
    page.get_by_role("button", name="Try the keys").click()
    page.keyboard.press("Escape")
    assert page.get_by_role("button", name="Try the keys").is_visible()
    assert not page.locator("[data-ask]").is_visible()


def test_every_page_fits_the_narrowest_screens(visitor, address, study, annotator):
    sizes = ((1024, 768), (320, 640))
    page = visitor(color_scheme="dark")
    page.goto(address("welcome"))
    check_fits(page, *sizes)
    services.give_consent(study=study, annotator=annotator)
    for name, *arguments in (("card", 6), ("practice",), ("pair", 1, 1), ("keys",)):
        page.goto(address(name, *arguments))
        ready(page)
        check_fits(page, *sizes)
    page.goto(address("pair", 1, 1))
    answer(page, as_expected(EXERCISES[1][0]))
    check_fits(page, *sizes)


def test_pictures_are_there(visitor, address, study, annotator):
    services.give_consent(study=study, annotator=annotator)
    page = visitor()
    for number in range(1, len(CARDS) + 1):
        with page.expect_response(re.compile(r"/img/learning/\w+.*\.svg")) as got:
            page.goto(address("card", number))
        assert got.value.status in (200, 304)


def test_the_whole_visit_without_javascript(visitor, address, study, annotator):
    page = visitor(java_script_enabled=False)
    page.goto(address("welcome"))
    page.get_by_label("I have read").check()
    page.get_by_role("button", name="Agree and continue").click()
    for number in range(1, len(CARDS) + 1):
        page.get_by_role(
            "link", name="Next example" if number < len(CARDS) else "Continue to practice"
        ).click()
    page.get_by_role("link", name="Start practice").click()
    for exercise in EXERCISES[1]:
        for criterion, verdict in as_expected(exercise).items():
            page.locator(f"input[name={criterion}][value={verdict}]").check(force=True)
        page.get_by_role("button", name="Confirm").click()
        page.get_by_role("link", name=re.compile("Next pair|See how it went")).click()
    page.get_by_role("link", name="Continue to the keys").click()
    assert page.get_by_text("The study needs neither").is_visible()
    page.get_by_role("button", name="Begin the study").click()
    page.wait_for_url(re.compile(r"/judge/"))
    assert FirstVisit.objects.get().practice == FirstVisit.Practice.PASSED
