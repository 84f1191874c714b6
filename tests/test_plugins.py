"""Plug-ins: what an installed package brings is everywhere; a broken one is named and left out."""

import importlib
import json
import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.urls import reverse

from annotate.judging.visits import weighing_runs
from annotate.operations.health.checks import plug_ins
from annotate.reports.services import sentinels
from annotate.scoring.services import score_protocol
from protocols import __version__, registry, score_versions
from protocols.core.base import Scene
from protocols.core.regions import Region
from protocols.formats.recognition import known_formats
from protocols.formats.recognition.reading import FORMATS, read
from tests.support.cases import cases
from tests.support.factories import add_researcher, make_study

ROOT = Path(__file__).resolve().parents[1]
SOURCES = Path(__file__).with_name("plugins")
WORD, HALF = (0, 0, 100, 40), (0, 0, 50, 40)


def install(name: str, folder: Path) -> Path:
    command = [
        *(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"),
        *("--no-build-isolation", "--target", str(folder), str(SOURCES / name)),
    ]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return folder


@pytest.fixture(scope="module")
def packages(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("packages")
    install("pixels", folder)
    return install("broken", folder)


def forget() -> None:
    importlib.invalidate_caches()
    registry._plugged.cache_clear()
    known_formats._plugged.cache_clear()


@pytest.fixture
def plugged(packages, monkeypatch, caplog):
    """This process, as if it had started with the packages installed."""
    monkeypatch.syspath_prepend(str(packages))
    forget()
    with caplog.at_level(logging.CRITICAL, "protocols.plugins"):
        yield
    for name in ("pixels", "centres", "broken"):
        sys.modules.pop(name, None)
    monkeypatch.undo()
    forget()


def shell(packages: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "protocols", *map(str, arguments)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(packages)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_it_is_no_longer_than_a_page():
    assert len(SOURCES.joinpath("pixels", "pixels.py").read_text().splitlines()) <= 40


def test_the_shell_lists_and_scores_it_by_several_processes(packages, tmp_path):
    listed = shell(packages, "list", "--json")
    assert [of["slug"] for of in json.loads(listed.stdout)][-1] == "pixels"
    truth, found = tmp_path / "gt.txt", tmp_path / "half.txt"
    truth.write_text("img_1 50 20 100 40\nimg_2 50 20 100 40\n")
    found.write_text("img_1 25 20 50 40\nimg_2 25 20 50 40\n")
    scored = shell(
        *(packages, "score", "--protocol", "pixels,iou", "--format", "centres", "--workers", "2"),
        *("--truth", truth, "--results", found),
    )
    [row] = [row for row in scored.stdout.splitlines() if row.startswith("pixels,half,*")]
    # Half of the text is found, and all that is found is text.
    assert row.startswith(f"pixels,half,*,0.5,1.0,{2 / 3},pixels|margin_px:0.0|")
    assert f" + pixels-protocol 1.2|program:{__version__}" in row


def test_a_broken_one_is_named_with_the_reason_and_ends_nothing(packages):
    listed = shell(packages, "list")
    assert listed.returncode == 0
    told = dict(
        line.split(" of broken-protocols 0.1 is left out: ") for line in listed.stderr.splitlines()
    )
    assert told == {
        "absent": "ModuleNotFoundError: No module named 'no_such_module'",
        "function": "it is no class below Protocol",
        "iou": "this name is taken",
        "misnamed": "its slug is 'other', and its entry point must be the same",
        "raises": "ParameterError: share must be a number in [0, 1], got 2.0",
    }


@cases(
    "look",
    [
        "from protocols import registry; registry.get('iou'); 'iou' in registry.PROTOCOLS",
        "from protocols.command_line.standalone import parsed; parsed(['-g=a', '-s=b', '-c=TedEval'])",
    ],
)
def test_a_look_at_known_slugs_looks_for_no_plug_in(look):
    look = f"import sys; {look}\nprint('importlib.metadata' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", look], cwd=ROOT, capture_output=True, text=True)
    assert said.stdout == "False\n"


@pytest.mark.usefixtures("plugged")
class TestInThisProcess:
    def test_formats_that_are_broken_are_told_too(self):
        assert [str(broken) for broken in known_formats.broken_plugins()] == [
            "text of broken-protocols 0.1 is left out: it is no Format"
        ]
        assert list(FORMATS)[-1] == "centres"

    def test_the_format_says_what_it_cannot_read(self, tmp_path):
        file = tmp_path / "gt.txt"
        file.write_text("img_1 50 20 100 40\nimg_1 50 20\n")
        [problem] = read(file, kind="truth", format="centres").problems
        assert (problem.code, problem.line) == ("L1", 2)

    def test_its_scores_carry_the_version_of_its_package(self):
        assert (
            score_versions.version_of("pixels") == f"{score_versions.VERSION} + pixels-protocol 1.2"
        )
        assert score_versions.version_of("iou") == score_versions.VERSION

    def test_its_figures(self):
        """By hand: the detection covers the left half of 4,000 px², and 1,000 px² outside the text."""
        scene = Scene((Region.from_box(*WORD),), (Region.from_box(-25, 0, 50, 40),))
        [score] = registry.get("pixels").score([scene])
        assert (score.recall, score.precision) == (0.5, pytest.approx(2 / 3))

    def test_the_page_of_health_names_what_is_left_out(self):
        found = list(plug_ins())
        assert {finding.state for finding in found} == {"warning"}
        assert len(found) == 6

    @pytest.mark.django_db
    def test_site_playground_and_api_have_it(self, client):
        assert "Pixels" in client.get(reverse("guide:list")).content.decode()
        page = client.get(reverse("guide:protocol", args=["pixels"])).content.decode()
        assert "Shares of area: of the text that is found" in page
        assert "A plug-in, from the package pixels-protocol 1.2." in page
        assert "What may be missed at each side." in page
        assert "Pixels" in client.get(reverse("guide:playground")).content.decode()

    @pytest.mark.django_db
    def test_one_that_says_it_is_a_sentinel_is_one_on_the_site(self, monkeypatch):
        study = make_study(["a", "b"], images=1, boxes={"a": [WORD], "b": [HALF]})
        run = score_protocol(dataset=study.dataset, slug="pixels")
        assert (sentinels([run]), list(weighing_runs(study))) == ([], [run])
        monkeypatch.setattr(registry.PROTOCOLS["pixels"], "is_sentinel", True)
        assert (sentinels([run]), list(weighing_runs(study))) == (["Pixels"], [])

    @pytest.mark.django_db
    def test_a_report_has_its_scores_and_keeps_them_when_it_is_gone(
        self, client, monkeypatch, packages
    ):
        study = make_study(["a", "b"], images=1, boxes={"a": [WORD], "b": [HALF]})
        run = score_protocol(dataset=study.dataset, slug="pixels")
        assert (run.name, run.version) == (
            "Pixels",
            f"{score_versions.VERSION} + pixels-protocol 1.2",
        )
        client.force_login(add_researcher(study))
        address = reverse("reports:report", args=[study.slug])
        assert client.get(address).status_code == 200
        monkeypatch.undo()
        forget()
        assert "pixels" not in registry.PROTOCOLS
        for page in ("reports:report", "questions:questions"):
            assert client.get(reverse(page, args=[study.slug])).status_code == 200
