"""The pages behind a report in a browser: accessible in both themes, sortable, and whole without a script."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotate.scoring.services import score_protocol
from tests.support.browsing import check_page, listen, signed_in, unexpected
from tests.support.factories import add_annotator, add_researcher, make_run, make_study
from tests.support.truths import rank_everything, same_truth

BOXES = {"a": [(0, 0, 99, 39)], "b": [(0, 0, 49, 39), (50, 0, 99, 39)], "c": [(200, 200, 240, 220)]}

OPEN_ALL = "main => main.querySelectorAll('details').forEach((one) => { one.open = true; })"


@pytest.fixture
def study(transactional_db):
    study = make_study(["a", "b", "c", "d"], images=2, boxes=BOXES)
    for ranking in (
        [["a"], ["b", "c"], ["d"]],
        [["a"], ["b"], ["c", "d"]],
        [["d"], ["a", "b", "c"]],
    ):
        rank_everything(study, add_annotator(study), same_truth(ranking))
    make_run(study, "Reversed", {"a": 0.1, "b": 0.5, "c": 0.5, "d": 0.9})
    score_protocol(dataset=study.dataset, slug="iou")
    return study


@pytest.fixture
def researcher(study):
    return add_researcher(study)


def addresses(study):
    image = study.images.first().name
    key = f"protocol-{study.dataset.runs.get(name='Reversed').pk}"
    page = reverse("evidence:image", args=[study.slug, image])
    return [
        f"{page}?annotator=annotator-1&script={key}",
        f"{page}?decimals=x",
        reverse("evidence:compare", args=[study.slug, image]) + "?protocol=IOU&left=b&right=c",
        reverse("evidence:compare", args=[study.slug, image])
        + "?protocol=DETEVAL&left=b&right=c&p-set=1&p-min_area_recall=0.3",
        reverse("studies:detail", args=[study.slug]),
        reverse("evidence:disagreement", args=[study.slug]) + "?protocol=Reversed",
        reverse("evidence:annotators", args=[study.slug]) + "?annotator=annotator-3",
    ]


@pytest.mark.smoke
def test_pages_are_accessible_and_fit(open_as, live_server, study, researcher):
    page = open_as(researcher, reduced_motion="reduce")
    complaints = listen(page)
    for address in addresses(study):
        page.goto(live_server.url + address)
        page.locator("main").evaluate(OPEN_ALL)
        check_page(page)
    assert unexpected(complaints) == []


@pytest.mark.smoke
def test_a_header_sorts_and_says_so(open_as, live_server, study, researcher):
    page = open_as(researcher)
    page.goto(live_server.url + addresses(study)[0])
    table = page.locator("table", has=page.get_by_role("button", name="Protocol"))
    edit = table.locator("th", has_text="Edit")

    def distances():
        return [float(cell) for cell in table.locator("tbody td:nth-child(2)").all_inner_texts()]

    edit.get_by_role("button").click()
    expect(edit).to_have_attribute("aria-sort", "descending")
    assert distances() == sorted(distances(), reverse=True)
    edit.get_by_role("button").click()
    expect(edit).to_have_attribute("aria-sort", "ascending")
    assert distances() == sorted(distances())


def test_heads_of_two_rows_sort_their_own_column(open_as, live_server, study, researcher):
    page = open_as(researcher)
    page.goto(live_server.url + reverse("evidence:annotators", args=[study.slug]))
    table = page.locator("table.sides")
    # The last column is the share of left among the decided answers by preference.
    head = table.locator("thead th").last
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "descending")
    shown = [
        float(text.split()[0]) for text in table.locator("tbody td:last-child").all_inner_texts()
    ]
    assert shown == sorted(shown, reverse=True)


def test_the_viewer_begins_with_ground_truth_and_matches(open_as, live_server, study, researcher):
    page = open_as(researcher, viewport={"width": 1440, "height": 900})
    page.goto(live_server.url + addresses(study)[2])
    panes = page.locator("[data-panes]")
    expect(panes).to_have_attribute("data-aids", "ground_truth match_colours")
    right = page.locator("[data-pane=right] [data-boxes] .boxes__over")
    expect(right.locator(".unmatched")).to_have_count(1)
    page.keyboard.press("m")
    expect(panes).to_have_attribute("data-aids", "ground_truth")
    page.get_by_role("button", name="Ground truth").click()
    expect(panes).to_have_attribute("data-aids", "")
    # A key typed into a choice is not a key of the viewer.
    page.get_by_label("Left", exact=True).focus()
    page.keyboard.press("g")
    expect(panes).to_have_attribute("data-aids", "")


def test_forced_colours_underline_the_current_tab_alone(open_as, live_server, study, researcher):
    """A transparent border would have a colour there."""
    page = open_as(researcher, forced_colors="active")
    image = study.images.first().name
    page.goto(live_server.url + reverse("evidence:image", args=[study.slug, image]))
    styles = "tabs => tabs.map(tab => getComputedStyle(tab).borderBottomStyle)"
    assert page.locator(".tabs a").evaluate_all(styles) == ["none"] * 3


def test_everything_is_there_without_a_script(open_as, live_server, study, researcher):
    page = open_as(researcher, java_script_enabled=False)
    image, _, compare, *_ = addresses(study)
    page.goto(live_server.url + compare)
    assert page.locator("[data-pane=right] .boxes__over .unmatched").count() == 1
    assert page.get_by_text("best IoU").count()
    page.goto(live_server.url + image)
    steps = page.locator("details[open] .step")
    assert steps.count() > 2
    assert page.locator("#screens").count() == 1
    page.locator(".wall__pane").first.click()
    expect(page.locator("[data-pane=left] .pane__caption")).to_contain_text("a")


def test_matches_follow_a_threshold_while_it_slides(page, client, live_server, study, researcher):
    """Truth and detection of a are equal; d's box is far from it, so a threshold of 1 unmatches a, too."""
    page = signed_in(page.context, client, researcher, live_server)
    image = study.images.first().name
    address = reverse("evidence:compare", args=[study.slug, image])
    page.goto(f"{live_server.url}{address}?protocol=IOU&left=a&right=b")
    recall = page.locator("#matches-left ~ dl dd").first
    expect(recall).to_have_text("1.0000")
    page.get_by_text("Thresholds and parameters of IOU").click()
    slider = page.get_by_role("slider", name="min_iou, slider")
    slider.focus()
    slider.press("End")
    expect(recall).to_have_text("0.0000")
    expect(page.locator("[data-pane=left] [data-boxes] .boxes__over polygon")).to_have_class(
        "unmatched"
    )
    expect(page).to_have_url(re.compile("p-min_iou=1(&|$)"))
    # The address alone shows the same.
    page.reload()
    expect(page.locator("#matches-left ~ dl dd").first).to_have_text("0.0000")
