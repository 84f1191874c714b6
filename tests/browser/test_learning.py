"""The first visit in a browser: by keyboard alone, accessible in both themes, at every width."""

import re
from itertools import pairwise

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotate.learning import services
from annotate.learning.models import FirstVisit
from annotate.learning.pairs import CARDS, EXERCISES
from tests.support.browsing import (
    check_fits,
    check_names_no_key,
    check_page,
    check_states,
    listen,
    press_twice,
    resize,
    sign_in,
    unexpected,
)
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
    """Give a practice answer with three keys and Enter, and wait for its feedback."""
    ready(page)
    for criterion, verdict in answers.items():
        page.keyboard.press(KEYS[criterion][verdict])
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="What to notice").wait_for()
    ready(page)


@pytest.mark.smoke
def test_the_whole_first_visit_by_keyboard(visitor, address, study, annotator):
    page = visitor()
    page.goto(address("welcome"))
    check(page)
    tab_to(page, "Continue")
    page.keyboard.press("Enter")
    page.get_by_text("Tick the box to take part").wait_for()
    check(page)
    tab_to(page, "I agree")
    page.keyboard.press("Space")
    tab_to(page, "Continue")
    page.keyboard.press("Enter")
    for number, card in enumerate(CARDS, 1):
        page.get_by_role("heading", name=card.title).wait_for()
        if number in (1, len(CARDS)):
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
            # A wrong answer at first, and a right one at last.
            is_checked = (round_number, number) in ((1, 1), (2, 6))
            if is_checked:
                check(page)
            answer(page, give(exercise))
            if is_checked:
                check(page)
            page.keyboard.press("Enter")
        page.wait_for_url(address("practice"))
        check(page)
        if round_number == 1:
            tab_to(page, "Practise with another six")
            page.keyboard.press("Enter")
    tab_to(page, "Continue")
    page.keyboard.press("Enter")
    page.wait_for_url(address("keys"))
    ready(page)
    check(page)
    tab_to(page, "Try the keys")
    page.keyboard.press("Enter")
    check(page)
    train(page, wrong_first=True)
    check(page)
    tab_to(page, "Start the study")
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
        expect(page.locator("[data-said]")).to_contain_text("That was")
        expect(page.locator("kbd[data-wanted]")).to_have_count(1)
    for _ in range(18):
        page.keyboard.press(codes[ask.inner_text()])
    expect(ask).to_have_text(
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
    # A held key answers once.
    for _ in range(4):
        page.keyboard.down("Digit1")
    page.keyboard.up("Digit1")
    expect(page.locator("input[name=recall][value=left]")).to_be_checked()
    for key in ("ArrowLeft", "ArrowDown", "ArrowRight", "ArrowLeft", "ArrowDown", "KeyD", "KeyD"):
        page.keyboard.press(key)
    page.keyboard.press("KeyR")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="What to notice").wait_for()
    [stored] = FirstVisit.objects.get().practice_answers
    assert stored["answers"] == {"recall": "left", "precision": "equal", "preference": "right"}


# Of the questions and of Confirm: left, top, right and bottom.
BOXES = """() => [...document.querySelectorAll(".criterion, .verdict__confirm")].map((one) => {
  const { left, top, right, bottom } = one.getBoundingClientRect();
  return [left, top, right, bottom];
})"""


def test_t48_confirm_is_a_button_after_the_questions_at_every_width(
    visitor, address, study, annotator
):
    services.give_consent(study=study, annotator=annotator)
    page = visitor()
    page.goto(address("pair", 1, 1))
    ready(page)
    widths = {390: 844, 720: 900, 900: 700, 1024: 768, 1366: 768, 1440: 900, 1920: 1080}
    for width, height in widths.items():
        resize(page, width, height)
        *questions, (left, top, right, bottom) = page.evaluate(BOXES)
        assert 44 <= bottom - top <= 60, (width, bottom - top)
        assert right - left >= 100
        assert all(question[3] <= top for question in questions), width
        # From 600 px on the questions are in one row, and Confirm is under the last.
        if width >= 600:
            assert len({question[1] for question in questions}) == 1
            assert all(a[2] < b[0] for a, b in pairwise(questions))
        if width >= 900:
            assert (left, right) == (questions[-1][0], questions[-1][2])
            assert bottom <= height


def test_t49_forced_colours_show_every_state_of_practice_and_keys(
    visitor, address, study, annotator
):
    services.give_consent(study=study, annotator=annotator)
    for size in ({"width": 1440, "height": 900}, {"width": 390, "height": 844}):
        page = visitor(viewport=size)
        for name, *arguments in (("card", 1), ("pair", 1, 1), ("keys",)):
            page.goto(address(name, *arguments))
            ready(page)
            for key in "oc1w":
                page.keyboard.press(key)
            check_states(page)


def test_escape_ends_the_trainer(visitor, address, study, annotator):
    services.give_consent(study=study, annotator=annotator)
    page = visitor()
    page.goto(address("keys"))
    ready(page)
    page.get_by_role("button", name="Try the keys").click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Try the keys")).to_be_visible()
    expect(page.locator("[data-ask]")).to_be_hidden()


@pytest.mark.smoke
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
        # T47: the layout of the comparison page.
        for (width, height), n_panes in zip(sizes, (2, 1), strict=True):
            resize(page, width, height)
            n_shown = page.locator(".pane:visible").count()
            assert n_shown == (0 if name == "practice" else n_panes), (name, width)
    resize(page, 1024, 768)
    page.goto(address("pair", 1, 1))
    answer(page, as_expected(EXERCISES[1][0]))
    check_fits(page, *sizes)


def test_pictures_are_there(visitor, address, study, annotator):
    services.give_consent(study=study, annotator=annotator)
    page = visitor()
    for number in range(1, len(CARDS) + 1):
        with page.expect_response(re.compile(r"/img/learning/\w+.*\.(svg|webp)")) as got:
            page.goto(address("card", number))
        assert got.value.status in (200, 304)


def middle(target):
    """Bring something into the window, and return where its middle is."""
    target.scroll_into_view_if_needed()
    box = target.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def look_closely(page):
    """Press + until the camera is four times nearer, and wait for it."""
    for _ in range(8):
        page.keyboard.press("+")
    expect(page.locator("[data-panes][data-zoomed]")).to_have_count(1)


def test_t26_practice_with_small_text_is_zoomed_by_key_and_tells_why(
    visitor, address, study, annotator
):
    services.give_consent(study=study, annotator=annotator)
    page = visitor()
    number = 1 + [each.pair.slug for each in EXERCISES[1]].index("shelf")
    page.goto(address("pair", 1, number))
    ready(page)
    look_closely(page)
    page.keyboard.press("KeyN")
    expect(page.locator("[data-view-words]")).to_contain_text("Place 1 of 6")
    answer(page, otherwise(EXERCISES[1][number - 1]))
    told = page.locator("[data-feedback]")
    expect(told).to_contain_text("Only a close look tells them apart")
    expect(told).to_contain_text("the left result misses “Plums”")
    expect(told.locator(".said--other-answer")).to_have_count(2)
    # The region that the text describes is visible.
    expect(page.locator("[data-panes][data-zoomed]")).to_have_count(1)
    check(page)


def test_t26_the_ways_to_look_are_ticked_off_by_key_and_by_mouse(
    visitor, address, study, annotator
):
    services.give_consent(study=study, annotator=annotator)
    page = visitor()
    page.goto(address("keys"))
    ready(page)
    left = page.locator("[data-left]")
    press_twice(page, *middle(page.locator("[data-pane=left] .pane__picture")))
    expect(left).to_have_text("3 more to try.")
    page.keyboard.press("KeyN")
    expect(left).to_have_text("2 more to try.")
    page.keyboard.down("KeyB")
    expect(left).to_have_text("1 more to try.")
    page.keyboard.up("KeyB")
    page.get_by_role("button", name="Single view").click()
    expect(left).to_have_text("All tried. That is all you need.")
    expect(page.locator("[data-done]")).to_have_count(4)
    page.get_by_role("button", name="Single view").click()
    check(page)


def test_t26_fingers_learn_zoom_and_both_results_on_a_small_screen(
    visitor, address, study, annotator
):
    services.give_consent(study=study, annotator=annotator)
    page = visitor(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page.goto(address("keys"))
    ready(page)
    left = page.locator("[data-left]")
    pane = page.locator("[data-pane=left] .pane__picture")
    press_twice(page, *middle(pane), by_finger=True)
    expect(left).to_have_text("2 more to try.")
    page.locator("[data-switch] [data-side=right]").tap()
    expect(left).to_have_text("1 more to try.")
    # On one pane no answer counts before the other result was shown, in practice as in the study.
    page.goto(address("pair", 1, 1))
    ready(page)
    for criterion in KEYS:
        page.locator(f"label:has(input[name={criterion}][value=left])").tap()
    expect(page.locator("[data-unseen]")).to_have_count(1)
    page.get_by_role("button", name="Confirm").tap()
    expect(page.locator("[data-look]")).to_have_text("Not looked at yet: Right result.")
    assert FirstVisit.objects.get().practice_answers == []
    page.locator("[data-switch] [data-side=right]").tap()
    expect(page.locator("[data-pane=right]")).to_be_visible()
    expect(page.locator("[data-unseen]")).to_have_count(0)
    page.get_by_role("button", name="Confirm").tap()
    page.get_by_role("heading", name="What to notice").wait_for()


def test_no_page_names_a_key_where_there_is_no_keyboard(visitor, address, study, annotator):
    services.give_consent(study=study, annotator=annotator)
    page = visitor(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    for place in (("welcome",), ("card", 7), ("practice",), ("pair", 1, 1), ("keys",), ("short",)):
        page.goto(address(*place))
        check_names_no_key(page)


def test_t26_without_javascript_the_small_text_is_shown_enlarged(
    visitor, address, study, annotator
):
    services.give_consent(study=study, annotator=annotator)
    page = visitor(java_script_enabled=False)
    page.goto(address("card", 7))
    pictures = page.locator(".close-ups__picture")
    expect(pictures).to_have_count(2)
    expect(pictures.first).to_be_visible()
    left, top, right, bottom = CARDS[6].pair.close_up
    assert pictures.first.get_attribute("viewBox") == (
        f"{left:g} {top:g} {right - left:g} {bottom - top:g}"
    )
    wide = pictures.first.bounding_box()["width"]
    high = min(box[3] - box[1] for box in CARDS[6].pair.picture.boxes.values())
    assert high * wide / (right - left) > 15
