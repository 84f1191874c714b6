"""The site as a server runs it: gunicorn, production settings, hashed and packed scripts and styles."""

import os
import re
import secrets
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Response, expect

from benchmarks.own_site import OwnSite, free_port, gunicorn
from tests.support.servers import set_up_server

_ROOT = Path(__file__).resolve().parents[2]
_HASHED = re.compile(r"\.[0-9a-f]{12}\.(js|css|svg)\Z")
_STUDY = """
from tests.support.factories import add_annotator, make_person, make_study
study = make_study(["a", "b", "c"], images=2, name="served", annotators=[make_person("ana")])
"""


@dataclass(frozen=True)
class Served:
    url: str
    static: Path


@pytest.fixture(scope="module")
def served(tmp_path_factory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("server")
    port = free_port()
    environment = {
        "DJANGO_SETTINGS_MODULE": "text_rankings.site.settings",
        "DATA_DIR": str(folder),
        **set_up_server(folder),
        "SECRET_KEY": secrets.token_urlsafe(50),
        "DEBUG": "false",
        "ALLOWED_HOSTS": "127.0.0.1",
        # Without a proxy that ends TLS, as inside a closed network.
        "HTTPS": "false",
    }
    manage(environment, "shell", "--command", _STUDY)
    with OwnSite(folder, environment).served(gunicorn(port, "--workers", "2"), port):
        yield Served(f"http://127.0.0.1:{port}", Path(environment["STATIC_ROOT"]))


def manage(environment: dict[str, str], *arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=_ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr


def test_t33_an_annotator_judges_with_packed_scripts_that_browsers_keep(browser: Browser, served):
    # In French: more words, and a file of them.
    context = browser.new_context(viewport={"width": 1440, "height": 900}, locale="fr-FR")
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
    page.goto(f"{served.url}/accounts/login/")
    page.locator("[name=login]").fill("ana")
    page.locator("[name=password]").fill("pw")
    page.get_by_role("button", name="Se connecter", exact=True).click()
    page.wait_for_url(f"{served.url}/")
    page.goto(f"{served.url}/judge/served/")
    page.get_by_role("button", name="Démarrer").click()
    expect(page.locator("[data-pane]").first).to_be_visible()

    static: list[Response] = []
    page.on("response", lambda found: "/static/" in found.url and static.append(found))
    page.reload(wait_until="networkidle")
    # An answer counts once both results were shown.
    page.locator("[data-screen][data-seen]").wait_for()
    with page.expect_response("**/answer/") as answer:
        for key in ("1", "q", "a", "Enter"):
            page.keyboard.press(key)
    assert answer.value.status == 200

    sizes = {"js": 0, "css": 0, "svg": 0}
    # Each file once: of the page before some may have come late.
    for found in {response.url: response for response in static}.values():
        path = urlsplit(found.url).path
        hashed = _HASHED.search(path)
        assert hashed, f"{path} has no hash in its name"
        assert "immutable" in found.headers["cache-control"]
        sizes[hashed[1]] += (served.static / path.removeprefix("/static/")).stat().st_size
    # As the browser runs them, unpacked; much less would mean that something is missing.
    assert 20_000 < sizes["js"] < 70_000
    assert 10_000 < sizes["css"] < 40_000
    assert faults == []
    context.close()
