"""Take pictures for pages and documents: `python -m tools.screenshots`, or `make screenshots`.

They show the demo on a temporary site: the landing page's in both themes, and a challenge for its
documents in the light one. The README uses the tutorial's pictures.
"""

import io
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from zipfile import ZipFile

from PIL import Image

from benchmarks.own_site import ROOT, chromium, free_port, gunicorn, own_site, sign_in, signed_in

FOLDER: Final = ROOT / "static" / "img" / "screens"
THEMES: Final = ("light", "dark")
_SIZE: Final = {"width": 1280, "height": 800}
_CHALLENGE_SIZE: Final = {"width": 1000, "height": 1000}
# Enough pixels for the width at which the page shows them.
_WIDTH: Final = 1280
_QUALITY: Final = 78
# A pair with visible differences, and keys that answer two of its questions.
_SEED: Final = 3
_KEYS: Final = ("3", "w")
# Of a challenge: the document's picture, the page, and who sees it.
_CHALLENGE: Final = {
    "how-to/img/challenge-steps": ("settings/about/", "organiser"),
    "how-to/img/challenge-overview": ("settings/", "organiser"),
    "how-to/img/challenge-standings": ("standings/", "organiser"),
    "tutorials/img/challenge-team": ("", "ada"),
    "tutorials/img/challenge-refused": ("entries/{refused}/", "ada"),
    "tutorials/img/challenge-entry": ("entries/{scored}/", "ada"),
}
_TEAMS: Final = {
    "Lovelace": ("ada", "near-perfect"),
    "Harbour Lab": ("ben", "jitter"),
    "Text Finders": ("cleo", "misses-small"),
    "Blue Boxes": ("dora", "oversized"),
    "Nightshift": ("emil", "splits-words"),
}


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (
        TemporaryDirectory(prefix="screenshots-") as static,
        own_site(DEBUG="false", STATIC_ROOT=static) as site,
    ):
        _take_all(site)
        _take_challenge(site)


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


def _take_challenge(site: Any) -> None:
    people, slug, entries = _make_challenge()
    sessions, port = {name: sign_in(person) for name, person in people.items()}, free_port()
    address = f"http://127.0.0.1:{port}"
    with site.served(gunicorn(port), port), chromium() as browser:
        for name, (path, person) in _CHALLENGE.items():
            options = {"viewport": _CHALLENGE_SIZE, "color_scheme": "light"}
            context = signed_in(browser, address, sessions[person], **options)
            page = context.new_page()
            page.goto(f"{address}/challenges/{slug}/{path.format(**entries)}")
            page.wait_for_load_state("networkidle")
            # Without the header of the site, and at most one window.
            clip = page.locator("main").bounding_box()
            clip["height"] = min(clip["height"], _CHALLENGE_SIZE["height"])
            _keep(page.screenshot(clip=clip, full_page=True), ROOT / "docs" / f"{name}.webp")
            context.close()


def _make_challenge() -> tuple[dict[str, Any], str, dict[str, int]]:
    """Make an open challenge of the demo; return its people, its slug, and two entries of a team."""
    from django.conf import settings
    from django.contrib.auth.models import User
    from django.utils import timezone

    from annotate.challenges import services
    from annotate.challenges.models import Challenge, Entry
    from annotate.datasets.models import Dataset
    from protocols.core.regions import decode_regions
    from protocols.formats.writing.regions import write_rrc_zip

    settings.JOBS = "here"
    dataset, now = Dataset.objects.get(), timezone.now()
    challenge = services.save_challenge(
        Challenge(
            dataset=dataset,
            title="Street words",
            text="Find every word on photographs of shops and streets.",
            terms="Describe your method in public.",
            opens=now - timedelta(days=20),
            closes=now + timedelta(days=10),
            hidden_score=Challenge.HiddenScore.ROUNDED,
        ),
        protocols=[("iou", {}), ("deteval", {}), ("cleval", {})],
        hidden=services.drawn_hidden(dataset, share=0.5, seed=1),
    )
    people = {"organiser": User.objects.create_user("organiser")}
    services.set_organiser(challenge=challenge, username="organiser", is_organiser=True)
    kept: dict[str, int] = {}

    def submit(team: Any, days: float, content: bytes, description: str) -> None:
        stream = io.BytesIO(content)
        entry = services.submit(
            team=team, stream=stream, name="results.zip", description=description
        )
        moment = now - timedelta(days=days)
        told = moment if entry.told else None
        Entry.objects.filter(pk=entry.pk).update(created=moment, told=told)
        if person == "ada":
            kept.setdefault(entry.state, entry.pk)

    for at, (name, (person, detector)) in enumerate(_TEAMS.items()):
        people[person] = User.objects.create_user(person)
        member = services.join(challenge=challenge, person=people[person])
        team = services.make_team(member=member, name=name)
        results = dataset.methods.get(name=detector).results.select_related("image")
        found = {one.image.name: decode_regions(one.regions) for one in results}
        first = {image: regions[: len(regions) // 2] for image, regions in found.items()}
        if person == "ada":
            submit(team, 13, _zip({"scene_01.txt": "12,13,14\n", "notes.txt": "draft"}), "")
        for days, regions, description in ((12 - at, first, "Baseline"), (3 + at / 2, found, "")):
            stream = io.BytesIO()
            write_rrc_zip(stream, regions, kind="results", line_format=dataset.line_format)
            submit(team, days, stream.getvalue(), description)
    return people, challenge.slug, kept


def _zip(files: dict[str, str]) -> bytes:
    stream = io.BytesIO()
    with ZipFile(stream, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return stream.getvalue()


def _keep(screenshot: bytes, path: Path) -> None:
    with Image.open(io.BytesIO(screenshot)) as picture:
        picture.thumbnail((_WIDTH, _WIDTH))
        picture.convert("RGB").save(path, "WEBP", quality=_QUALITY, method=6)
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
