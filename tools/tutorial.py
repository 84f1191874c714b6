"""Walk through docs/tutorials/first-study.md in a browser, and take its pictures.

``python -m tools.tutorial`` writes docs/tutorials/img/*.webp. The site is temporary, and the files
that are loaded are those of the demo.
"""

import io
import zipfile
from pathlib import Path
from typing import Any

from benchmarks.own_site import ROOT, chromium, own_site

PICTURES = ROOT / "docs" / "tutorials" / "img"
NAME = "Street scenes"
# Fixed, because pictures show it.
_PORT = 8184
_METHODS = ("near-perfect", "one-box-per-line", "oversized", "misses-small")
_ENDINGS = {"image/jpeg": "jpg", "image/png": "png", "image/webp": "webp"}


def main() -> None:
    with own_site(DEBUG="true") as site:
        signs = prepared(site.folder)
        with site.served(["manage.py", "run_site", f"127.0.0.1:{_PORT}"], _PORT):
            walk(f"http://127.0.0.1:{_PORT}", site.folder, signs)


def prepared(folder: Path) -> dict[str, str]:
    """Load the demo, write its data to files for loading, and return passwords by user name."""
    from django.core.management import call_command

    from annotate.datasets.exports import results_file, truth_file
    from annotate.datasets.models import Dataset, stored_path
    from annotate.demo.services import sign_ins

    call_command("set_up", migrate=True)
    call_command("load_demo", stdout=io.StringIO())
    dataset = Dataset.objects.get()
    folder.joinpath("gt.zip").write_bytes(truth_file(dataset, "zip").read())
    for method in dataset.methods.filter(name__in=_METHODS):
        folder.joinpath(f"{method.name}.zip").write_bytes(results_file(method, "zip").read())
    with zipfile.ZipFile(folder / "photographs.zip", "w") as archive:
        for image in dataset.images.exclude(sha256=""):
            name = f"{image.name}.{_ENDINGS[image.content_type]}"
            archive.write(stored_path(image.sha256), name)
    return sign_ins()


def walk(site: str, folder: Path, signs: dict[str, str]) -> None:
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 800}, device_scale_factor=1.5)
        page.set_default_timeout(20_000)
        try:
            researcher(page, site, folder, signs)
            annotator(page, site, signs)
        except Exception:
            page.screenshot(path="/tmp/tutorial-failed.png")
            raise


def picture(page: Any, name: str, *, height: int = 800) -> None:
    from PIL import Image

    page.set_viewport_size({"width": 1280, "height": height})
    page.evaluate("window.scrollTo(0, 0)")
    page.evaluate("Promise.all([...document.images].filter(i => i.complete).map(i => i.decode()))")
    page.wait_for_timeout(1000)  # until fade-ins have ended
    taken = page.screenshot()
    PICTURES.mkdir(exist_ok=True)
    Image.open(io.BytesIO(taken)).save(PICTURES / f"{name}.webp", quality=70, method=6)


def sign_in(page: Any, site: str, name: str, password: str) -> None:
    page.goto(f"{site}/accounts/login/")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(password)
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Sign out").wait_for()


def researcher(page: Any, site: str, folder: Path, signs: dict[str, str]) -> None:
    sign_in(page, site, "demo-admin", signs["demo-admin"])
    page.get_by_role("link", name="Data", exact=True).click()
    page.get_by_role("link", name="Load", exact=False).first.click()
    files = [str(folder / name) for name in ("gt.zip", "photographs.zip")]
    page.get_by_label("Files", exact=True).set_input_files(files)
    page.get_by_role("button", name="Continue").click()
    page.get_by_label("Name of the dataset").fill(NAME)
    page.get_by_role("button", name="Check the files").click()
    page.get_by_role("heading", name="Report", level=1).wait_for()
    picture(page, "checked")
    confirm(page)
    page.get_by_role("link", name="Load results or scores").click()
    results = [str(folder / f"{name}.zip") for name in _METHODS]
    page.get_by_label("Files", exact=True).set_input_files(results)
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Check the files").wait_for()
    picture(page, "kinds")
    page.get_by_role("button", name="Check the files").click()
    page.get_by_role("heading", name="Report", level=1).wait_for()
    confirm(page)
    page.get_by_role("link", name="Score protocols").click()
    for name in ("IOU", "DETEVAL", "EVALTEX"):
        page.get_by_label(name, exact=True).first.check()
    picture(page, "protocols")
    page.get_by_role("button", name="Score the chosen protocols").click()
    page.get_by_role("rowheader", name="EVALTEX", exact=True).wait_for()
    page.get_by_role("link", name="New study").click()
    page.get_by_label("Name", exact=True).fill("Which protocol is right?")
    picture(page, "study")
    for step in ("design", "images", "people", "look", "open"):
        page.get_by_role("button", name=f"Next: {step}").click()
        page.wait_for_load_state("networkidle")
        if step == "design":
            page.get_by_label("Difference to detect").fill("15")
            page.get_by_role("button", name="Plan").click()
            page.wait_for_load_state("networkidle")
        if step in ("design", "images", "open"):
            picture(page, step)
    page.get_by_role("button", name="Create the study and open it").click()
    page.get_by_role("heading", name="Which protocol is right?").wait_for()
    page.get_by_role("link", name="Members", exact=True).click()
    page.wait_for_load_state("networkidle")
    picture(page, "members")


def confirm(page: Any) -> None:
    page.get_by_role("link", name="Continue to confirm").click()
    page.get_by_role("button", name="Load", exact=True).click()
    page.get_by_role("heading", name="Receipt", level=1).wait_for()
    page.get_by_role("navigation", name="Breadcrumbs").get_by_role("link", name=NAME).click()


def annotator(page: Any, site: str, signs: dict[str, str]) -> None:
    page.context.clear_cookies()
    sign_in(page, site, "demo-annotator", signs["demo-annotator"])
    page.get_by_role("link", name="Start with the introduction").click()
    page.locator("input[name=agree]").check()
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("link", name="Skip the examples").click()
    page.goto(page.url.replace("/practice/", "/keys/"))
    page.get_by_role("button", name="Start the study").click()
    page.get_by_role("button", name="Start").click()
    page.locator("[data-screen][data-seen]").wait_for()
    picture(page, "comparison")
    page.context.clear_cookies()
    sign_in(page, site, "demo-researcher", signs["demo-researcher"])
    page.get_by_role("link", name="Report of Ten detectors").click()
    page.get_by_role("heading", level=1).wait_for()
    page.wait_for_load_state("networkidle")
    picture(page, "report", height=1000)


if __name__ == "__main__":
    main()
