"""Take pictures for pages and documents: `python -m tools.screenshots`, or `make screenshots`.

They show the demo on a temporary site, in both themes. The README uses the tutorial's pictures.
"""

import io
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from PIL import Image

from benchmarks.own_site import ROOT, chromium, free_port, gunicorn, own_site, sign_in, signed_in

FOLDER: Final = ROOT / "static" / "img" / "screens"
THEMES: Final = ("light", "dark")
_SIZE: Final = {"width": 1280, "height": 800}
# Enough pixels for the width at which the page shows them.
_WIDTH: Final = 1280
_QUALITY: Final = 76
# A pair with visible differences, and keys that answer two of its questions.
_SEED: Final = 3
_KEYS: Final = ("3", "w")


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (
        TemporaryDirectory(prefix="screenshots-") as static,
        own_site(DEBUG="false", STATIC_ROOT=static) as site,
    ):
        _take_all(site)


def _take_all(site: Any) -> None:
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.db.models import F

    from annotate.datasets.models import Dataset
    from annotate.demo.services import load_demo
    from annotate.judging import services as judging
    from annotate.learning import services as learning
    from annotate.studies.services import add_member, create_study

    # Packing the libraries' files for other pages takes two minutes.
    others = ["drf_spectacular_sidecar", "rest_framework", "admin"]
    call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=others)
    load_demo(print)
    dataset, annotator = Dataset.objects.get(), User.objects.get(username="demo-annotator")
    # Wide scenes fill the panes.
    wide = dataset.images.filter(width__gt=F("height"))
    study = create_study(
        name="Street scenes",
        dataset=dataset,
        methods=list(dataset.methods.all()),
        images=list(wide),
        seed=_SEED,
        state="open",
    )
    add_member(study=study, username=annotator.username, role="annotator")
    learning.give_consent(study=study, annotator=annotator)
    learning.finish(study=study, annotator=annotator)
    judging.start(study=study, annotator=annotator)
    session, port = sign_in(annotator), free_port()
    address = f"http://127.0.0.1:{port}"
    with site.served(gunicorn(port), port), chromium() as browser:
        for theme in THEMES:
            context = signed_in(browser, address, session, viewport=_SIZE, color_scheme=theme)
            page = context.new_page()
            page.goto(f"{address}/judge/{study.slug}/")
            page.locator("[data-view-tools]").wait_for()
            page.wait_for_load_state("networkidle")
            for key in _KEYS:
                page.keyboard.press(key)
            _keep(page.screenshot(), FOLDER / f"comparison-{theme}.webp")
            context.close()


def _keep(screenshot: bytes, path: Path) -> None:
    with Image.open(io.BytesIO(screenshot)) as picture:
        picture.thumbnail((_WIDTH, _WIDTH))
        picture.convert("RGB").save(path, "WEBP", quality=_QUALITY, method=6)
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
