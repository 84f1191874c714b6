"""Answering in a browser: nothing is lost, nothing is stored twice, nothing moves under the hand."""

import json
from collections.abc import Callable, Iterator

import pytest
from django.urls import reverse
from playwright.sync_api import BrowserContext, Locator, Page, Route, expect

from annotate.accounts.models import Preferences
from annotate.judging import current_screen, services
from annotate.judging.models import Judgement, Skip
from annotate.studies.models import Study
from tests.support.browsing import (
    check_accessible,
    check_themes,
    own_time,
    resize,
    sign_in,
    stop_time,
)
from tests.support.factories import add_annotator, make_study
from tests.support.truths import answer as answer_by

CRITERIA = ("recall", "precision", "preference")
ANSWERS = "**/answer/"
EQUAL = ("2", "w", "s")
LEFT = ("1", "q", "a")


@pytest.fixture
def study(transactional_db) -> Study:
    return make_study(["a", "b", "c", "d"], images=3)


@pytest.fixture
def annotator(study):
    person = add_annotator(study)
    services.start(study=study, annotator=person)
    return person


@pytest.fixture
def context(browser, client, live_server, annotator) -> Iterator[BrowserContext]:
    made = browser.new_context(viewport={"width": 1440, "height": 900})
    sign_in(made, client, annotator, live_server)
    yield made
    made.close()


@pytest.fixture
def opened(context, live_server, study) -> Iterator[Callable[..., Page]]:
    faults: list[str] = []

    def open_page(*, has_own_time: bool = False) -> Page:
        page = context.new_page()
        if has_own_time:
            own_time(page)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("dialog", lambda dialog: dialog.accept())
        return load(page, live_server, study)

    yield open_page
    assert faults == []


def load(page: Page, live_server, study) -> Page:
    page.goto(live_server.url + reverse("judging:judge", args=[study.slug]))
    # The script shows this button when it is ready for keys.
    page.locator("[data-open-skip]").wait_for()
    look_at_both(page)
    return page


def look_at_both(page: Page) -> None:
    """Wait for both results to be shown; where there is room for one, show one after the other."""
    page.wait_for_function(
        """() => {
          const root = document.querySelector("[data-screen]");
          const unseen = [...root.querySelectorAll("[data-switch] [data-unseen]")];
          const visible = unseen.filter((each) => each.checkVisibility());
          // The one that is there counts first: who goes back and forth at every frame sees neither.
          if (visible.every((each) => each.ariaPressed === "false")) visible[0]?.click();
          return "seen" in root.dataset;
        }"""
    )


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def question(page: Page, criterion: str) -> Locator:
    return page.locator(f"fieldset[data-criterion={criterion}]")


def chosen(page: Page) -> dict[str, str]:
    radios = page.locator("[data-answer] input:checked").all()
    return {radio.get_attribute("name"): radio.get_attribute("value") for radio in radios}


def screen_id(page: Page) -> str:
    return page.locator("[data-answer]").get_attribute("data-screen-id")


def next_pair(page: Page, before: str) -> None:
    expect(page.locator(f"[data-screen-id='{before}']")).to_have_count(0)
    page.wait_for_load_state()
    if page.locator("[data-answer]").count():
        look_at_both(page)


def bar(page: Page) -> Locator:
    return page.locator("[data-bar]")


def focus_is_in(page: Page, criterion: str) -> bool:
    return page.evaluate(
        "name => document.activeElement.closest('[data-criterion]')?.dataset.criterion === name",
        criterion,
    )


@pytest.mark.smoke
def test_t2_no_confirm_with_an_open_question_by_mouse_key_or_raw_request(opened):
    page = opened()
    press(page, "1")
    # It is aria-disabled, which stops no mouse.
    page.locator("[data-confirm]").click(force=True)
    expect(question(page, "precision")).to_contain_text("Choose left, equal or right")
    assert focus_is_in(page, "precision")
    press(page, "w", "Enter")
    expect(question(page, "preference")).to_contain_text("Choose left, equal or right")
    assert focus_is_in(page, "preference")
    expect(page.locator("[data-alarm]")).to_have_text("Not answered yet: Preference.")
    answer_url = page.locator("[data-answer]").get_attribute("action")
    status = page.evaluate(
        """async (url) => (await fetch(url, {method: "POST", body: new URLSearchParams({recall: "left"}),
           headers: {Accept: "application/json", "X-CSRFToken":
           document.querySelector("[name=csrfmiddlewaretoken]").value}})).status""",
        answer_url,
    )
    assert 400 <= status < 500
    assert not Judgement.objects.exists()


def test_a_held_key_answers_once_and_confirms_once(opened):
    page = opened()
    for key in ("1", "w", "d", "Enter"):
        for _ in range(4):
            page.keyboard.down(key)
        page.keyboard.up(key)
    expect(page.locator("[data-status]")).to_contain_text("Saved")
    assert Judgement.objects.get().verdicts == {
        "recall": "left",
        "precision": "equal",
        "preference": "right",
    }


def test_t29_the_key_of_a_chosen_answer_leaves_it_and_one_key_answers_all(opened):
    page = opened()
    press(page, "e", "e")
    assert chosen(page) == {"precision": "right"}
    press(page, "r")
    assert chosen(page) == dict.fromkeys(CRITERIA, "right")
    press(page, "2", "Backspace", "Delete", "Control+a")
    assert chosen(page) == {"recall": "equal", "precision": "right", "preference": "right"}


def test_keys_are_left_alone_where_somebody_types(opened):
    page = opened()
    press(page, "x", "6")
    expect(page.locator("#skip-text")).to_be_focused()
    page.keyboard.type("1 quite dark")
    assert page.locator("#skip-text").input_value() == "1 quite dark"
    assert chosen(page) == {}
    press(page, "Enter")
    expect(page.locator("[data-status]")).to_contain_text("Skipped")
    assert (Skip.objects.get().reason, Skip.objects.get().text) == ("other", "1 quite dark")


@pytest.mark.parametrize("keys", [["i"], ["x", "1"]])
def test_one_key_says_that_they_look_the_same(opened, keys):
    page = opened()
    first = screen_id(page)
    page.wait_for_timeout(600)  # A pair that was just shown takes no such answer.
    press(page, *keys)
    next_pair(page, first)
    stored = Judgement.objects.get()
    assert stored.looks_same
    assert stored.verdicts == dict.fromkeys(CRITERIA, "equal")
    assert stored.seen["first"] != "unknown"
    assert not Skip.objects.exists()


def test_t29_what_is_chosen_survives_a_reload_and_an_undo(opened, live_server, study):
    page = opened()
    first = screen_id(page)
    press(page, "1", "e")
    load(page, live_server, study)
    assert chosen(page) == {"recall": "left", "precision": "right"}
    press(page, "s", "Enter")
    next_pair(page, first)
    assert chosen(page) == {} or first != screen_id(page)
    press(page, "u")
    expect(page.locator("[data-answer]")).to_have_attribute("data-screen-id", first)
    before = chosen(page)
    assert before == {"recall": "left", "precision": "right", "preference": "equal"}
    press(page, "1", "e", "s")
    assert chosen(page) == before


def test_a_broken_pair_is_reported_with_what_the_browser_knows(opened):
    page = opened()
    press(page, "x", "5")
    expect(page.locator("[data-status]")).to_contain_text("Skipped")
    skip = Skip.objects.get()
    assert skip.reason == "broken"
    assert skip.environment["window"] == "1440 x 900"
    assert skip.environment["photograph"] == "none"


def test_after_a_new_pair_the_first_open_question_has_the_focus(opened):
    page = opened()
    before = screen_id(page)
    press(page, *EQUAL, "Enter")
    next_pair(page, before)
    first = page.locator("fieldset[data-criterion]:not([data-implied])").first
    assert focus_is_in(page, first.get_attribute("data-criterion"))


@pytest.mark.smoke("mouse")
@pytest.mark.parametrize("hand", ["mouse", "keys"])
def test_t15_a_double_click_and_a_second_enter_are_one_answer(opened, hand):
    page = opened()
    sent = []
    page.on("request", lambda request: sent.append(request.url))
    press(page, *LEFT)
    if hand == "mouse":
        page.locator("[data-confirm]").dblclick()
    else:
        press(page, "Enter", "Enter", "Enter")
    expect(page.locator("[data-status]")).to_contain_text("Saved")
    assert len([url for url in sent if url.endswith("/answer/")]) == 1
    assert Judgement.objects.count() == 1
    expect(bar(page)).to_be_hidden()
    assert page.get_by_text("Choose left, equal or right").count() == 0


def test_t15_of_two_tabs_the_first_answer_stays_and_the_other_says_so(opened):
    first, second = opened(), opened()
    before = screen_id(first)
    press(first, *LEFT, "Enter")
    next_pair(first, before)
    press(second, *EQUAL, "Enter")
    expect(bar(second)).to_contain_text("another tab")
    assert screen_id(second) == screen_id(first)
    assert Judgement.objects.get().recall == "left"
    second.get_by_role("button", name="OK").click()
    expect(bar(second)).to_be_hidden()


@pytest.mark.smoke
def test_t16_an_answer_is_kept_and_sent_again_until_the_site_is_back(opened):
    page = opened(has_own_time=True)
    tries, stored = [], []

    def fail(route: Route) -> None:
        tries.append(route.request.post_data)
        if len(tries) == 1:
            # The site stores it, and its response is lost.
            stored.append(route.fetch().status)
            route.abort()
        elif len(tries) == 2:
            route.fulfill(status=503, body="busy")
        else:
            route.continue_()

    page.route(ANSWERS, fail)
    before = screen_id(page)
    stop_time(page)
    press(page, *LEFT, "Enter")
    expect(bar(page)).to_contain_text("Not saved yet, trying again in 1 s")
    page.clock.run_for(100)
    expect(page.locator("[data-alarm]")).to_contain_text("Not saved yet")
    press(page, "3")
    assert chosen(page) == dict.fromkeys(CRITERIA, "left"), "what is on its way stays as it is"
    page.clock.run_for(1000)
    expect(bar(page)).to_contain_text("Not saved yet, trying again in 2 s")
    page.get_by_role("button", name="Try now").click()
    expect(bar(page)).to_be_hidden()
    page.clock.resume()
    next_pair(page, before)
    assert stored == [200]
    assert len(tries) == 3
    assert len(set(tries)) == 1, "the same form, to the last second"
    assert Judgement.objects.count() == 1


def test_t42_slow_saving_says_so_after_one_second_and_why_after_four(opened):
    page = opened(has_own_time=True)
    held: list[Route] = []
    page.route(ANSWERS, lambda route: held.append(route))
    before = screen_id(page)
    words, aloud = page.locator("[data-confirm-words]"), page.locator("[data-status]")
    stop_time(page)
    with page.expect_request(ANSWERS):
        press(page, *LEFT, "Enter")
    page.clock.run_for(900)
    expect(words).to_have_text("Confirm")
    page.clock.run_for(200)
    expect(words).to_have_text("Saving…")
    expect(aloud).to_have_text("Saving…")
    expect(bar(page)).to_be_hidden()
    page.clock.run_for(2_800)
    expect(bar(page)).to_be_hidden()
    page.clock.run_for(200)
    told = "The site has not answered for 4 seconds. Everything is kept here until it is saved."
    expect(bar(page)).to_have_text(told)
    expect(aloud).to_have_text(told)
    scale = page.locator("[data-zoom]").inner_text()
    press(page, "+")
    page.clock.run_for(100)
    expect(page.locator("[data-zoom]")).not_to_have_text(scale)
    page.clock.resume()
    held[0].continue_()
    next_pair(page, before)
    expect(bar(page)).to_be_hidden()
    expect(words).to_have_text("Confirm")
    expect(aloud).to_contain_text("Saved")
    assert Judgement.objects.count() == 1


def test_t42_a_slow_skip_hides_neither_the_results_nor_the_words(opened):
    page = opened(has_own_time=True)
    held: list[Route] = []
    page.route("**/skip/", lambda route: held.append(route))
    before = screen_id(page)
    stop_time(page)
    with page.expect_request("**/skip/"):
        press(page, "x", "2")
    expect(page.locator("[data-skip-dialog]")).to_be_visible()
    page.clock.run_for(1_100)
    expect(page.locator("[data-skip-dialog]")).to_be_hidden()
    expect(page.locator("[data-status]")).to_have_text("Saving…")
    page.context.set_offline(True)
    page.clock.run_for(3_000)
    expect(bar(page)).to_contain_text("You are offline. Everything is kept here")
    page.context.set_offline(False)
    page.clock.resume()
    held[0].continue_()
    next_pair(page, before)


def test_an_unsent_answer_survives_a_reload_and_is_stored_once(opened):
    page = opened()
    page.route(ANSWERS, lambda route: route.abort())
    before = screen_id(page)
    press(page, "1", "w", "d", "Enter")
    expect(bar(page)).to_contain_text("Not saved yet")
    warned = []
    page.on("dialog", lambda dialog: warned.append(dialog.type))
    page.reload()
    expect(bar(page)).to_contain_text("Not saved yet")
    assert warned == ["beforeunload"]
    assert chosen(page) == {"recall": "left", "precision": "equal", "preference": "right"}
    page.unroute(ANSWERS)
    press(page, "Enter")
    next_pair(page, before)
    assert Judgement.objects.get().verdicts == {
        "recall": "left",
        "precision": "equal",
        "preference": "right",
    }
    assert page.evaluate("sessionStorage.length") == 0
    page.reload()
    page.locator("[data-open-skip]").wait_for()
    assert chosen(page) == {}
    press(page, *LEFT)
    page.goto("about:blank")
    assert warned == ["beforeunload"], "with everything saved nothing warns"


def test_who_is_signed_out_signs_in_again_and_the_answer_is_sent(
    opened, context, annotator, live_server
):
    page = opened()
    before = screen_id(page)
    context.clear_cookies(name="sessionid")
    press(page, *LEFT, "Enter")
    dialog = page.get_by_role("dialog", name="Sign in again; your answer is kept")
    with page.expect_response(ANSWERS) as response:
        dialog.get_by_role("button", name="Send again").click()
    assert response.value.status == 401
    expect(dialog).to_be_visible()
    expect(bar(page)).to_contain_text("Your answer is kept")
    assert chosen(page) == dict.fromkeys(CRITERIA, "left")
    with context.expect_page() as other:
        dialog.get_by_role("link", name="Sign in").click()
    login = other.value
    login.get_by_label("Username").fill(annotator.username)
    login.get_by_label("Password").fill("pw")
    login.keyboard.press("Enter")
    expect(login.get_by_role("button", name="Sign out")).to_be_visible()
    login.close()
    page.bring_to_front()
    page.evaluate("window.dispatchEvent(new Event('focus'))")
    next_pair(page, before)
    expect(dialog).to_be_hidden()
    expect(bar(page)).to_be_hidden()
    assert Judgement.objects.count() == 1


def test_a_closed_study_is_said_in_plain_words_with_one_way_on(opened, study):
    page = opened()
    Study.objects.filter(pk=study.pk).update(state=Study.State.CLOSED)
    press(page, *LEFT, "Enter")
    expect(bar(page)).to_contain_text("What you answered is kept")
    expect(bar(page).get_by_role("link", name="Your studies")).to_be_visible()
    assert bar(page).locator("a, button").count() == 1


def test_a_pause_hides_both_results_and_stops_the_clock(opened):
    page = opened(has_own_time=True)
    press(page, "p")
    expect(page.get_by_role("dialog", name="Paused")).to_be_visible()
    assert (
        page.locator("[data-panes]").evaluate("it => getComputedStyle(it).visibility") == "hidden"
    )
    page.clock.fast_forward("01:00:00")
    press(page, "1")
    expect(page.get_by_role("dialog", name="Paused")).to_be_hidden()
    assert chosen(page) == {}, "the key that ends a pause does nothing else"
    expect(page.locator("[data-panes]")).to_be_visible()
    look_at_both(page)
    press(page, *LEFT, "Enter")
    expect(page.locator("[data-status]")).to_contain_text("Saved")
    assert Judgement.objects.get().seconds_taken < 3600, "the hour of the pause does not count"
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("dialog", name="Paused")).to_be_hidden()


def test_a_break_is_proposed_once_and_never_forced(opened, study):
    Study.objects.filter(pk=study.pk).update(break_screens=2)
    page = opened()
    for n_answered in range(1, 5):
        before = screen_id(page)
        if n_answered == 3:
            expect(bar(page)).to_be_visible()  # its script comes with the first break
        else:
            expect(bar(page)).to_be_hidden()
        press(page, *EQUAL, "Enter")
        next_pair(page, before)
    assert Judgement.objects.count() == 4


BOXES = """() => Object.fromEntries([...document.querySelectorAll(
  ".screen-header, .screen-header > *, .screen, .pane, .pane__stage, .viewtools, .desk, .desk .button, "
  + "fieldset, .choice")].filter((it) => it.checkVisibility() && !it.matches("[data-dispute]"))
  .map((it, at) => [`${at} ${it.tagName} ${it.className}`,
    ["x", "y", "width", "height"].map((side) => it.getBoundingClientRect()[side])]))"""


def moved(page: Page, boxes: dict) -> list[object]:
    """Return what is elsewhere than before; a pane that is shown takes the place of a hidden one."""
    now = page.evaluate(BOXES)
    return [(name, boxes.get(name), at) for name, at in now.items() if boxes.get(name) != at]


@pytest.mark.parametrize("size", [(1440, 900), (1024, 768), (390, 844), (720, 450)])
def test_nothing_moves_between_two_pairs(opened, size):
    page = opened(has_own_time=True)
    resize(page, *size)
    boxes = page.evaluate(BOXES)
    assert len(boxes) > 20
    implied = page.locator("fieldset[data-implied]")
    seen_implied = 0
    # Equal on one question alone makes the others follow at other times.
    for keys in [
        ("1", "w", "s"),
        ("1", "e", "s"),
        ("3", "q", "d"),
        ("2", "q", "d"),
        ("1", "w", "a"),
    ]:
        before = screen_id(page)
        press(page, *keys)
        assert moved(page, boxes) == []
        press(page, "Enter")
        next_pair(page, before)
        assert moved(page, boxes) == []
        seen_implied += implied.count()
    press(page, "Enter")
    page.clock.fast_forward(600)
    press(page, "Enter")
    assert moved(page, boxes) == [], "nor when something is missing"
    press(page, "u")
    expect(page.locator("[data-status]")).to_contain_text("Undone")
    assert moved(page, boxes) == []
    assert seen_implied, "rows that follow were among them"


def test_t3_no_scroll_bars_on_a_desktop_not_even_with_something_to_read(opened):
    page = opened()
    page.route(ANSWERS, lambda route: route.abort())
    for words in ("", "Not saved yet"):
        if words:
            press(page, *LEFT, "Enter")
            expect(bar(page)).to_contain_text(words)
        for width, height in ((1280, 720), (1440, 900), (1920, 1080)):
            resize(page, width, height)
            root = "document.documentElement"
            assert page.evaluate(f"{root}.scrollHeight") <= height, (words, height)
            assert page.evaluate(f"{root}.scrollWidth") <= width, (words, width)


@pytest.mark.smoke
def test_t4_usable_by_finger_on_a_small_screen(browser, client, live_server, study, annotator):
    context = browser.new_context(
        viewport={"width": 320, "height": 640}, has_touch=True, is_mobile=True
    )
    sign_in(context, client, annotator, live_server)
    page = load(context.new_page(), live_server, study)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    small = page.locator(".choice, .desk .button, .screen-header .button, [data-switch] button")
    for target in small.all():
        if target.is_visible() and target.get_attribute("data-dispute") is None:
            box = target.bounding_box()
            assert min(box["width"], box["height"]) >= 44, target.inner_text()
    for side in ("left", "right"):
        if page.locator("[data-switch]").is_visible():
            page.locator(f"[data-side={side}]").tap()
        expect(page.locator(f"[data-pane={side}]")).to_be_visible()
        assert page.locator(f"[data-pane={side}] svg").first.bounding_box()["height"] >= 100
    for criterion in CRITERIA:
        question(page, criterion).locator(".choice--left").tap()
    page.get_by_role("button", name="Confirm").tap()
    expect(page.locator("[data-status]")).to_contain_text("Saved")
    assert Judgement.objects.get().verdicts == dict.fromkeys(CRITERIA, "left")
    context.close()


@pytest.fixture
def following(study, annotator) -> None:
    """Answers after which the next pair has a question that follows from them."""
    truth = {
        "recall": [["a"], ["b"], ["c"], ["d"]],
        "precision": [["a", "b", "c", "d"]],
        "preference": [["d"], ["c"], ["b"], ["a"]],
    }
    turn = current_screen.waiting_turn(study, annotator)
    while turn is not None and not turn.implied:
        turn = answer_by(turn, annotator, truth)
    assert turn is not None
    assert turn.open_criteria


def test_t29_what_follows_is_shown_reached_by_keyboard_and_not_asked(opened, following):
    page = opened()
    row = page.locator("fieldset[data-implied]").first
    expect(row).to_contain_text("follows from your answers")
    criterion = row.get_attribute("data-criterion")
    checked = row.locator("input:checked")
    verdict = checked.get_attribute("value")
    states = "all => all.map(one => [one.disabled, one.ariaDisabled])"
    assert row.locator("input").evaluate_all(states) == [[False, "true"]] * 3
    checked.focus()
    expect(checked).to_be_focused()
    press(page, "ArrowRight", "ArrowLeft", "ArrowLeft", "Space")
    for choice in (row.locator(".choice").first, row.locator(".choice").last):
        choice.click(force=True)
    press(page, *LEFT)
    expect(checked).to_have_value(verdict)
    n_before = Judgement.objects.count()
    before = screen_id(page)
    press(page, "Enter")
    next_pair(page, before)
    last = Judgement.objects.order_by("pk").last()
    assert Judgement.objects.count() == n_before + 1
    assert criterion not in last.verdicts


def test_what_follows_can_be_disputed(opened, following):
    page = opened()
    row = page.locator("fieldset[data-implied]").first
    criterion = row.get_attribute("data-criterion")
    verdict = row.locator("input:checked").get_attribute("value")
    row.get_by_role("button", name="Not right?").click()
    row = question(page, criterion)
    assert row.locator("input:checked").count() == 0, "nothing is chosen for an open question"
    row.get_by_role("button", name="Leave it").click()
    expect(row.locator("input:checked")).to_have_value(verdict)
    row.get_by_role("button", name="Not right?").click()
    assert focus_is_in(page, criterion)
    other = "left" if verdict != "left" else "right"
    column = {"left": 0, "right": 2}[other]
    for name, keys in zip(CRITERIA, ("123", "qwe", "asd"), strict=True):
        if question(page, name).get_attribute("data-implied") is None:
            press(page, keys[column])
    with page.expect_request(ANSWERS) as sent:
        press(page, "Enter")
    assert f"disputed={criterion}" in sent.value.post_data
    assert f"{criterion}={other}" in sent.value.post_data
    expect(page.locator("[data-status]")).to_contain_text("Saved")


@pytest.mark.smoke
def test_history_shows_the_last_answers_and_opens_one_again(opened):
    page = opened()
    first = screen_id(page)
    press(page, "1", "w", "d", "Enter")
    next_pair(page, first)
    second = screen_id(page)
    press(page, *EQUAL, "Enter")
    next_pair(page, second)
    press(page, "h")
    drawer = page.get_by_role("dialog", name="Your last pairs")
    items = drawer.get_by_role("listitem").filter(has=page.locator("svg"))
    expect(items).to_have_count(2)
    oldest = items.nth(1)
    heads, cells = oldest.locator("table th"), oldest.locator("table td")
    expect(heads).to_have_text(["Recall", "Precision", "Preference"])
    expect(cells).to_have_text(["Left better", "Equal", "Right better"])
    assert oldest.locator("svg").count() == 2
    oldest.get_by_role("button", name="Change").click()
    expect(oldest).to_contain_text("All your later answers stay.")
    oldest.get_by_role("button", name="Leave it").click()
    assert screen_id(page) not in (first, second)
    oldest.get_by_role("button", name="Change").click()
    oldest.get_by_role("button", name="Yes, change it").click()
    expect(drawer).to_be_hidden()
    expect(page.locator("[data-answer]")).to_have_attribute("data-screen-id", first)
    assert chosen(page) == {"recall": "left", "precision": "equal", "preference": "right"}


def test_t30_the_history_names_and_lays_its_pictures_as_the_panes_lie(opened):
    page = opened()
    resize(page, 800, 1100)
    first = screen_id(page)
    press(page, "1", "w", "d", "Enter")
    next_pair(page, first)
    press(page, "h")
    drawer = page.get_by_role("dialog", name="Your last pairs")
    expect(drawer.locator("table td")).to_have_text(["Top better", "Equal", "Bottom better"])
    pictures = drawer.locator("svg")
    above, below = (pictures.nth(at).bounding_box() for at in (0, 1))
    assert above["y"] + above["height"] <= below["y"]


DOT = """one => [getComputedStyle(one, "::after"), getComputedStyle(one)]
  .map((each) => each.backgroundColor)"""


def test_t27_in_forced_colours_what_is_unseen_can_still_be_told(opened):
    page = opened()
    page.emulate_media(forced_colors="active")
    resize(page, 390, 844)
    page.evaluate("localStorage.setItem('layout', 'one')")
    page.reload()
    unseen = page.locator("[data-switch] [data-unseen]")
    expect(unseen).to_have_count(1)
    dot, around = unseen.evaluate(DOT)
    assert dot != around
    check_accessible(page)


def test_on_a_telephone_the_history_says_what_was_answered_before_it_shows_the_pair(
    opened, live_server, study
):
    page = opened()
    before = screen_id(page)
    press(page, "1", "w", "s", "Enter")
    next_pair(page, before)
    resize(page, 390, 844)
    page.get_by_role("button", name="History").click()
    item = page.locator("[data-list] > li").first
    said, pair = (item.locator(name).bounding_box() for name in ("[data-answers]", "[data-pair]"))
    assert said["y"] + said["height"] <= pair["y"]
    page.goto(live_server.url + reverse("judging:history", args=[study.slug]))
    row = page.get_by_role("row").nth(1)
    expect(row.get_by_role("cell", name="Left better")).to_be_visible()
    pair = row.locator(".history__pair").bounding_box()
    shown = [cell.bounding_box() for cell in row.get_by_role("cell").all()]
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= 390 for box in shown)
    words = [row.get_by_role("cell").nth(at).bounding_box() for at in (1, 2, 3)]
    assert all(box["y"] + box["height"] <= pair["y"] for box in words)


@pytest.mark.parametrize("size", [(390, 844), (320, 640), (800, 600), (844, 390)])
def test_nothing_lies_over_the_edges_of_the_pause_button(opened, size):
    page = opened()
    resize(page, *size)
    pause, progress, header = (
        page.locator(f".screen-header{inner}").bounding_box()
        for inner in (" [data-open-pause]", " progress", "")
    )
    beside = progress["x"] + progress["width"] <= pause["x"]
    below = pause["y"] + pause["height"] <= progress["y"]
    above = progress["y"] + progress["height"] <= pause["y"]
    assert beside or below or above
    assert header["y"] < pause["y"]
    assert pause["y"] + pause["height"] < header["y"] + header["height"]


def test_history_that_cannot_be_loaded_says_so(opened):
    page = opened()
    page.route("**/history/", lambda route: route.abort())
    page.get_by_role("button", name="History").click()
    expect(page.get_by_role("dialog", name="Your last pairs")).to_contain_text(
        "could not be loaded"
    )
    press(page, "Escape")
    assert screen_id(page)


def test_it_confirms_by_itself_for_who_wants_it_and_any_key_stops_it(opened, annotator):
    Preferences.objects.create(person=annotator, advance=True)
    page = opened(has_own_time=True)
    stop_time(page)
    press(page, *LEFT)
    expect(page.locator("[data-advancing]")).to_be_visible()
    press(page, "0")
    expect(page.locator("[data-advancing]")).to_have_count(0)
    page.clock.run_for(1000)
    assert page.locator("[data-answer]").get_attribute("aria-busy") is None, "nothing was sent"
    assert not Judgement.objects.exists()
    page.clock.resume()
    press(page, "s")
    expect(page.locator("[data-status]")).to_contain_text("Saved")
    assert Judgement.objects.get().preference == "equal"


def test_single_letters_can_be_switched_off(opened, annotator):
    Preferences.objects.create(person=annotator, single_keys=False)
    page = opened()
    press(page, *LEFT, "r", "x", "p", "h", "?")
    assert chosen(page) == {}
    assert page.locator("dialog[open]").count() == 0
    assert page.locator("kbd[data-key]:visible").count() == 0
    for criterion in CRITERIA:
        question(page, criterion).locator("input").first.focus()
        press(page, "Space")
    press(page, "Enter")
    expect(page.locator("[data-status]")).to_contain_text("Saved")


def test_keys_of_ones_own_and_of_the_readers_layout_are_printed(opened, annotator, context):
    Preferences.objects.create(person=annotator, keys={"recall_left": "KeyZ"})
    french = {"KeyQ": "a", "KeyA": "q", "KeyZ": "w"}
    context.add_init_script(
        "Object.defineProperty(navigator, 'keyboard', {value: {getLayoutMap: async () => "
        f"new Map(Object.entries({json.dumps(french)}))}}}})"
    )
    page = opened()
    press(page, "1")
    assert chosen(page) == {}
    press(page, "z")
    assert chosen(page) == {"recall": "left"}
    for criterion, cap in zip(CRITERIA, "WAQ", strict=True):
        expect(question(page, criterion).locator("kbd").first).to_have_text(cap)


@pytest.mark.smoke
def test_t8_a_whole_study_by_keys_alone(opened, annotator, study):
    page = opened()
    for _ in range(60):
        if page.locator("[data-answer]").count() == 0:
            break
        before = screen_id(page)
        press(page, "2", "w", "s", "Enter")
        next_pair(page, before)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Thank you")
    states = study.assignments.filter(annotator=annotator).values_list("state", flat=True)
    assert list(states) == ["complete"] * 3


def test_t14_the_next_pair_costs_one_request_and_the_next_image_is_fetched_once(opened):
    page = opened()
    asked: list[tuple[str, str]] = []
    page.on("request", lambda request: asked.append((request.method, request.url)))
    image = page.locator("[data-image-number]").inner_text()
    for _ in range(20):
        before = screen_id(page)
        press(page, *LEFT, "Enter")
        next_pair(page, before)
        if page.locator("[data-image-number]").inner_text() != image:
            break
    page.wait_for_timeout(200)
    gets = [url for method, url in asked if method == "GET"]
    of_the_first = [url for url in gets if "/next-image/?" in url]
    assert len(gets) == len(of_the_first), "nothing else is fetched"
    assert 1 <= len(of_the_first) <= 2, "once for this image, and perhaps once for the next"


@pytest.mark.smoke
def test_what_opens_over_the_page_is_accessible_too(opened):
    page = opened()
    before = screen_id(page)
    press(page, *LEFT, "Enter")
    next_pair(page, before)
    page.route(ANSWERS, lambda route: route.abort())
    for keys in (["p"], ["h"], ["x"], ["?"], [*EQUAL, "Enter"]):
        press(page, *keys)
        if keys == ["h"]:
            page.get_by_role("button", name="Change").wait_for()
            page.get_by_role("button", name="Change").click()
        if "Enter" in keys:
            expect(bar(page)).to_be_visible()
        check_themes(page)
        press(page, "Escape")
