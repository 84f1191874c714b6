"""The whole job as people do it: load, rank by keyboard, report, download; every number checked."""

import csv
import io
import random
import zipfile
from collections.abc import Mapping, Sequence
from itertools import permutations

import pytest
from django.contrib.auth.models import User
from PIL import Image as Picture
from PIL import ImageDraw
from playwright.sync_api import Locator, Page, expect

from protocols.core.regions import Region
from rankings.orders.buckets import Ranking
from tests.support.factories import make_admin, make_person
from tests.support.plain import plain_iou
from tests.support.plain_orders import plain_edit_distance, plain_mean_rank, plain_order

Box = tuple[int, int, int, int]
IMAGES = ("img_1", "img_2", "img_3")
METHODS = ("exact", "wide", "first-word", "astray")
ANNOTATORS = ("ana", "ben", "chloe")
CRITERIA = ("recall", "precision", "preference")
KEYS = {
    "recall": {"left": "1", "equal": "2", "right": "3"},
    "precision": {"left": "q", "equal": "w", "right": "e"},
    "preference": {"left": "a", "equal": "s", "right": "d"},
}


def words(image: str) -> list[Box]:
    at = 10 * int(image[-1])
    return [(at, 20, at + 80, 50), (at + 110, 20, at + 200, 50)]


def detections(image: str, method: str) -> list[Box]:
    first, second = words(image)
    if method == "exact":
        return [first, second]
    if method == "wide":
        return [
            (left - 4, top - 4, right + 4, bottom + 4) for left, top, right, bottom in words(image)
        ]
    if method == "first-word":
        return [first, (first[0], 90, first[0] + 30, 110)]
    return [] if image == "img_2" else [(first[0] + 1, 80, first[0] + 60, 110)]


# A file that the organisers of a competition might have published; the site did not compute it.
ORGANISERS = {
    image: {
        method: (round(0.9 - 0.1 * at - 0.05 * number, 4), round(0.4 + 0.15 * at, 4))
        for at, method in enumerate(METHODS)
    }
    for number, image in enumerate(IMAGES)
}


def rankings() -> Mapping[tuple[str, str, str], list[list[str]]]:
    """For each annotator, image and criterion a ranking; drawn once, with ties among them."""
    rng = random.Random(20)
    drawn = {}
    for annotator in ANNOTATORS:
        for image in IMAGES:
            for criterion in CRITERIA:
                level = {method: rng.randrange(3) for method in METHODS}
                drawn[annotator, image, criterion] = [
                    [method for method in METHODS if level[method] == value]
                    for value in range(3)
                    if value in level.values()
                ]
    return drawn


RANKINGS = rankings()


def test_the_annotators_differ_and_have_ties():
    per_annotator = [[RANKINGS[who, i, c] for i in IMAGES for c in CRITERIA] for who in ANNOTATORS]
    assert per_annotator[0] != per_annotator[1] != per_annotator[2]
    assert any(len(bucket) > 1 for ranking in RANKINGS.values() for bucket in ranking)


@pytest.fixture
def people(transactional_db) -> dict[str, User]:
    made = {name: make_person(name) for name in (*ANNOTATORS, "rita")}
    return made | {"admin": make_admin("admin")}


def test_from_two_zips_to_the_table(page: Page, live_server, people, tmp_path):
    site = live_server.url
    page.set_viewport_size({"width": 1440, "height": 900})
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url))
    complaints: list[str] = []
    page.on(
        "console",
        lambda message: complaints.append(message.text) if message.type == "error" else None,
    )

    sign_in(page, site, "admin")
    load_the_data(page, site, tmp_path)
    set_up_the_study(page)
    sign_out(page)

    for annotator in ANNOTATORS:
        sign_in(page, site, annotator)
        rank_by_keyboard(page, annotator, undo_at=3 if annotator == "ben" else None)
        sign_out(page)

    sign_in(page, site, "rita")
    page.get_by_role("link", name="Report of Three readers").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Three readers")
    page.get_by_text("Table as a file").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV", exact=True).click()
    rows = read_table(download.value.path().read_text("utf-8"))
    assert rows == expected_table()
    shown = page.locator(".report-table").nth(0).locator("tbody tr")
    # Two protocols, two baselines and the human baseline.
    expect(shown).to_have_count(2 + 2 + 1)
    assert not complaints
    assert all(url.startswith((site, "blob:")) for url in fetched)


def sign_in(page: Page, site: str, name: str) -> None:
    page.goto(f"{site}/accounts/login/")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill("pw")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()


def sign_out(page: Page) -> None:
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("link", name="Sign in").first).to_be_visible()


def load_the_data(page: Page, site: str, folder) -> None:
    truth = {f"gt_{name}.txt": lines(words(name), ',"word"') for name in IMAGES}
    photographs = {f"{name}.png": picture(words(name)) for name in IMAGES}
    results = [
        archive(
            folder / f"{method}.zip",
            {f"res_{name}.txt": lines(detections(name, method)) for name in IMAGES},
        )
        for method in METHODS
    ]
    page.get_by_role("link", name="Data", exact=True).click()
    page.get_by_role("link", name="Load", exact=False).first.click()
    pictures = archive(folder / "photos.zip", photographs)
    check(page, [archive(folder / "truth.zip", truth), pictures], dataset="Street signs")
    load(page)
    expect(page.get_by_role("heading", name="Street signs")).to_be_visible()

    page.get_by_role("link", name="Load results or scores").first.click()
    check(page, results)
    load(page)
    expect(page.get_by_role("row", name="first-word 3 6 0")).to_be_visible()

    page.get_by_role("link", name="Score protocols").first.click()
    page.get_by_label("IOU", exact=True).check()
    page.get_by_role("button", name="Score the chosen protocols").click()
    expect(page.get_by_role("rowheader", name="IOU")).to_be_visible()

    scores = folder / "organisers.csv"
    rows = [
        f"{image},{method},{recall},{precision}"
        for image, methods in ORGANISERS.items()
        for method, (recall, precision) in methods.items()
    ]
    scores.write_text("\n".join(["image,method,recall,precision", *rows]))
    page.get_by_role("link", name="Load results or scores").first.click()
    check(page, [str(scores)], protocol="Organisers")
    load(page)
    expect(page.get_by_role("rowheader", name="Organisers")).to_be_visible()


def check(page: Page, files: Sequence[str], dataset: str = "", protocol: str = "") -> None:
    """Choose files, say what cannot be found out, and have them checked."""
    page.get_by_label("Files", exact=True).set_input_files(files)
    page.get_by_role("button", name="Continue").click()
    if dataset:
        page.get_by_label("Name of the dataset").fill(dataset)
    if protocol:
        page.get_by_label("Method or protocol").fill(protocol)
    page.get_by_role("button", name="Check the files").click()
    expect(page.get_by_role("heading", name="Report", level=1)).to_be_visible()


def load(page: Page) -> None:
    """Confirm what was checked, and go from the receipt to the dataset."""
    page.get_by_role("link", name="Continue to confirm").click()
    page.get_by_role("button", name="Load", exact=True).click()
    expect(page.get_by_role("heading", name="Receipt", level=1)).to_be_visible()
    page.get_by_role("navigation", name="Breadcrumbs").get_by_role(
        "link", name="Street signs"
    ).click()


def set_up_the_study(page: Page) -> None:
    page.get_by_role("link", name="New study").click()
    page.get_by_label("Name", exact=True).fill("Three readers")
    for following in ("design", "images", "people"):
        page.get_by_role("button", name=f"Next: {following}").click()
    for name in ANNOTATORS:
        page.get_by_role("group", name="Annotators").get_by_label(name).check()
    page.get_by_role("group", name="Researchers").get_by_label("rita").check()
    for following in ("appearance", "open"):
        page.get_by_role("button", name=f"Next: {following}").click()
    page.get_by_role("button", name="Create the study and open it").click()
    expect(page.get_by_role("button", name="Close the study")).to_be_visible()


def rank_by_keyboard(page: Page, annotator: str, undo_at: int | None) -> None:
    """Answer every pair by the annotator's rankings, with keys alone; once wrongly and back."""
    page.get_by_role("link", name="Start with the introduction").click()
    first_visit(page)
    # The script shows this button when it is ready for keys.
    expect(page.locator("[data-open-skip]")).to_be_visible()
    n_answered = 0
    while (shown := waiting_screen(page)) is not None:
        image, left, right = shown
        if n_answered == undo_at:
            undo_at = None
            before = screen_id(page)
            answer(page, dict.fromkeys(asked(page), "equal"))
            page.keyboard.press("u")
            expect(with_id(page, before)).to_be_visible()
            assert waiting_screen(page) == shown, "the undo brings back the same pair"
        truth = {criterion: RANKINGS[annotator, image, criterion] for criterion in CRITERIA}
        answer(page, {c: verdict(truth[c], left, right) for c in CRITERIA})
        n_answered += 1
        assert n_answered <= 3 * (6 + 1), "at most all pairs of all images, and a re-check each"


def first_visit(page: Page) -> None:
    """Agree to take part, and leave the rest of the introduction out."""
    page.locator("input[name=agree]").check()
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("link", name="Skip the examples").click()
    page.wait_for_url("**/practice/")
    page.goto(page.url.replace("/practice/", "/keys/"))
    page.get_by_role("button", name="Start the study").click()


def waiting_screen(page: Page) -> tuple[str, str, str] | None:
    """Return image, left and right method of the pair on screen, identified by the drawn boxes."""
    if page.locator("[data-screen-id]").count() == 0:
        return None
    left, right = (drawn(page, side) for side in ("left", "right"))
    fits = [
        (image, a, b)
        for image in IMAGES
        for a in METHODS
        for b in METHODS
        if a != b and left == polygons(image, a) and right == polygons(image, b)
    ]
    [shown] = fits
    return shown


def drawn(page: Page, side: str) -> list[str]:
    found = page.locator(f"[data-pane={side}] [data-boxes] g:first-child polygon")
    return found.evaluate_all("all => all.map(polygon => polygon.getAttribute('points'))")


def polygons(image: str, method: str) -> list[str]:
    """Boxes of this format include their last pixel, so they are drawn to its far side."""
    return [
        f"{a},{b} {c + 1},{b} {c + 1},{d + 1} {a},{d + 1}"
        for a, b, c, d in detections(image, method)
    ]


def screen_id(page: Page) -> str:
    return page.locator("[data-screen-id]").get_attribute("data-screen-id")


def with_id(page: Page, screen: str) -> Locator:
    return page.locator(f"[data-screen-id='{screen}']")


def asked(page: Page) -> list[str]:
    questions = page.locator("fieldset[data-criterion]:not([data-implied])")
    return questions.evaluate_all("all => all.map(question => question.dataset.criterion)")


def answer(page: Page, verdicts: Mapping[str, str]) -> None:
    """Press a key for each criterion that is asked, and Enter; wait for what comes next."""
    before = screen_id(page)
    for criterion, verdict in verdicts.items():
        question = page.locator(f"fieldset[data-criterion={criterion}]")
        if question.get_attribute("data-implied") is not None:
            chosen = question.locator("input:checked").get_attribute("value")
            assert chosen == verdict, "what follows agrees with what the annotator thinks"
            continue
        if question.locator("input:checked").count() == 0 or (
            question.locator("input:checked").get_attribute("value") != verdict
        ):
            page.keyboard.press(KEYS[criterion][verdict])
    # An answer counts once both results were shown.
    page.locator("[data-screen][data-seen]").wait_for()
    page.keyboard.press("Enter")
    expect(with_id(page, before)).to_have_count(0)
    page.wait_for_load_state()  # after the last pair another page comes


def verdict(ranking: Sequence[Sequence[str]], left: str, right: str) -> str:
    place = {method: at for at, bucket in enumerate(ranking) for method in bucket}
    if place[left] == place[right]:
        return "equal"
    return "left" if place[left] < place[right] else "right"


def read_table(text: str) -> dict[tuple[str, str], tuple[str, str, float]]:
    body = [line for line in text.splitlines() if not line.startswith("#")]
    return {
        (row["criterion"], row["protocol"]): (row["best"], row["worst"], float(row["score"]))
        for row in csv.DictReader(body)
    }


def expected_table() -> dict[tuple[str, str], tuple[str, str, float]]:
    table = {}
    for criterion in CRITERIA:
        goals = {
            image: plain_mean_rank([RANKINGS[who, image, criterion] for who in ANNOTATORS])
            for image in IMAGES
        }
        distances = {
            protocol: {
                image: plain_edit_distance(
                    protocol_ranking(protocol, image, criterion), goals[image]
                )
                for image in IMAGES
            }
            for protocol in ("IOU", "Organisers")
        }
        for protocol, of_image in distances.items():
            every = list(distances.values())
            best = sum(of_image[i] == min(other[i] for other in every) for i in IMAGES)
            worst = sum(of_image[i] == max(other[i] for other in every) for i in IMAGES)
            table[criterion, protocol] = (str(best), str(worst), float(sum(of_image.values()) / 3))
        orders = [[[method] for method in order] for order in permutations(METHODS)]
        for name, of_name in (("all tied", [[METHODS]]), ("random order", orders)):
            every = [plain_edit_distance(own, goal) for own in of_name for goal in goals.values()]
            table[criterion, name] = ("", "", float(sum(every) / len(every)))
    return table


def protocol_ranking(protocol: str, image: str, criterion: str) -> Ranking:
    scores = {}
    for method in METHODS:
        if protocol == "IOU":
            sides = (words(image), detections(image, method))
            recall, precision = plain_iou(*([Region.from_box(*box) for box in of] for of in sides))
        else:
            recall, precision = ORGANISERS[image][method]
        f_score = 2 * recall * precision / (recall + precision) if recall + precision else 0.0
        of = {"recall": recall, "precision": precision, "preference": f_score}
        # A ranking has the best first.
        scores[method] = -round(of[criterion], 4)
    return plain_order(scores)


def lines(boxes: Sequence[Box], ending: str = "") -> bytes:
    return "".join(f"{a},{b},{c},{d}{ending}\r\n" for a, b, c, d in boxes).encode()


def picture(boxes: Sequence[Box]) -> bytes:
    image = Picture.new("RGB", (280, 140), "#8a8f7a")
    for box in boxes:
        ImageDraw.Draw(image).rectangle(box, fill="#f4f0e0")
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


def archive(path, entries: Mapping[str, bytes]) -> str:
    with zipfile.ZipFile(path, "w") as file:
        for name, content in entries.items():
            file.writestr(name, content)
    return str(path)
