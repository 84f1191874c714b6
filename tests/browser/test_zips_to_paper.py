"""From the zips of a benchmark to the table in a paper, in one go, with the data people have."""

import io
import zipfile
from pathlib import Path

import pytest
from PIL import Image as Picture
from playwright.sync_api import Locator, Page, expect

from annotate.studies.models import Study
from tests.support.browsing import listen, signed_in
from tests.support.factories import introduce, make_admin, make_person
from tests.support.shared import shared_path
from tests.support.tex import typeset
from tests.support.truths import rank_everything, same_truth

# benchmark -> its result sets
BENCHMARKS = {
    "icdar2013": ["ccswt-jan10.zip", "east-argman.zip", "fcn-blocks.zip"],
    "icdar2015": ["pixellink.zip", "east-resnet50.zip", "craft-torch.zip"],
}
PHOTOGRAPHS = ("img_1", "img_2")
# A page that asks for more was made worse.
MOST_CLICKS = 30


class Hands:
    """A user's acts on the pages, counted: clicks, and fields that are typed in."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.n_clicks = self.n_typed = 0

    def click(self, target: Locator) -> None:
        target.click()
        self.n_clicks += 1

    def press(self, name: str) -> None:
        self.click(self.page.get_by_role("button", name=name, exact=True))

    def follow(self, name: str) -> None:
        self.click(self.page.get_by_role("link", name=name, exact=True).first)

    def type(self, label: str, text: str) -> None:
        self.page.get_by_label(label, exact=True).fill(text)
        self.n_typed += 1


def photographs(folder: Path, benchmark: str) -> str:
    """A zip of two of the benchmark's photographs; blank ones where they are not published."""
    path = folder / "photographs.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in PHOTOGRAPHS:
            if benchmark == "icdar2015":
                content = shared_path("data", benchmark, "images", f"{name}.jpg").read_bytes()
            else:
                content = io.BytesIO()
                Picture.new("L", (2000, 2000), 200).save(content, "JPEG")
                content = content.getvalue()
            archive.writestr(f"{name}.jpg", content)
    return str(path)


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_zips_to_the_pasted_table(
    browser, client, live_server, transactional_db, tmp_path, benchmark
):
    files = [
        str(shared_path("data", benchmark, name)) for name in ["gt.zip", *BENCHMARKS[benchmark]]
    ]
    admin, readers = make_admin("admin"), [make_person(name) for name in ("ana", "ben", "chloe")]
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = signed_in(context, client, admin, live_server)
    complaints = listen(page)
    hands = Hands(page)

    page.goto(live_server.url)
    load(hands, [*files, photographs(tmp_path, benchmark)], benchmark)
    score(hands, ("IOU", "DETEVAL"))
    set_up(hands, benchmark)
    study = Study.objects.get()
    assert study.images.count() == len(PHOTOGRAPHS)
    # Acts on the page of the pairs belong to another test.
    names = sorted(study.methods.values_list("name", flat=True))
    for reader in readers:
        introduce(study, reader)
        rank_everything(study, reader, same_truth([[name] for name in names]))
    table = paste(hands, live_server, study)

    assert r"\textbf{" in table
    assert all(rf"{name} &" in table for name in ("IOU", "DETEVAL"))
    assert f"on {benchmark}" in table
    assert not complaints
    assert hands.n_clicks <= MOST_CLICKS, hands.n_clicks
    context.close()
    assert typeset(tmp_path, [table], "twocolumn").overfull == []


def load(hands: Hands, files: list[str], name: str) -> None:
    hands.follow("Data")
    hands.click(hands.page.get_by_role("link", name="Load").first)
    hands.page.get_by_label("Files", exact=True).set_input_files(files)
    hands.n_clicks += 1
    hands.press("Continue")
    hands.type("Name of the dataset", name)
    hands.press("Check the files")
    expect(hands.page.get_by_role("heading", name="Report", level=1)).to_be_visible()
    # Detectors that found nothing on an image often write no file: it is asked what that means.
    questions = hands.page.get_by_label("no boxes: the method found nothing there")
    if n_questions := questions.count():
        for at in range(n_questions):
            hands.click(questions.nth(at))
        hands.press("Save the answers")
    hands.follow("Continue to confirm")
    hands.press("Load")
    expect(hands.page.get_by_role("heading", name="Receipt", level=1)).to_be_visible()
    crumbs = hands.page.get_by_role("navigation", name="Breadcrumbs")
    hands.click(crumbs.get_by_role("link", name=name, exact=True))


def score(hands: Hands, protocols: tuple[str, ...]) -> None:
    hands.follow("Score protocols")
    for protocol in protocols:
        hands.page.get_by_label(protocol, exact=True).check()
        hands.n_clicks += 1
    hands.press("Score the chosen protocols")
    for protocol in protocols:
        expect(hands.page.get_by_role("rowheader", name=protocol, exact=True)).to_be_visible()


def set_up(hands: Hands, name: str) -> None:
    hands.follow("Studies")
    with hands.page.expect_navigation():
        hands.follow("New study")
    if hands.page.get_by_label("Name", exact=True).count() == 0:
        hands.click(hands.page.get_by_role("main").get_by_role("link", name=name).first)
    hands.type("Name", f"Readers of {name}")
    # Defaults for images, design and look are accepted.
    hands.press("Next: design")
    hands.press("Next: images")
    hands.press("Next: people")
    hands.click(hands.page.get_by_role("group", name="Annotators").get_by_label("ana"))
    for reader in ("ben", "chloe"):
        hands.click(hands.page.get_by_role("group", name="Annotators").get_by_label(reader))
    hands.press("Next: appearance")
    hands.press("Next: open")
    hands.press("Create the study and open it")
    expect(hands.page.get_by_role("heading", level=1)).to_contain_text(name)


def paste(hands: Hands, live_server, study: Study) -> str:
    """Copy the table from the page for a paper, and return what a paste gives."""
    hands.click(hands.page.get_by_role("link", name="Report").first)
    hands.follow("For a paper")
    hands.press("Copy the table")
    expect(hands.page.get_by_role("button", name="Copied").first).to_be_visible()
    pasted: str = hands.page.evaluate("navigator.clipboard.readText()")
    return pasted
