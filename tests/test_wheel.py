"""The wheel where there is no repository: three commands, and the main job from an empty folder."""

import json
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from time import monotonic, sleep

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from benchmarks.own_site import free_port
from tests.support.archives import zip_file

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LIGHT = {Requirement(line).name for line in PROJECT["dependencies"]}
THIRD = Path(sysconfig.get_paths()["purelib"])
WORD = "10,10,109,49"
IS_WINDOWS = os.name == "nt"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = ["-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    run([sys.executable, *command, "--wheel-dir", folder, ROOT], cwd=folder)
    [path] = folder.glob("*.whl")
    return path


@dataclass(frozen=True)
class Installed:
    """An environment with the wheel and only its three libraries, and an empty folder to work in."""

    environment: Path
    folder: Path

    def command(self, *arguments: object, code: int = 0, **variables: str) -> str:
        name, *rest = map(str, arguments)
        return run([self.program(name), *rest], cwd=self.folder, code=code, **variables)

    def program(self, name: str) -> Path:
        return self.environment / ("Scripts" if IS_WINDOWS else "bin") / name


@pytest.fixture(scope="module")
def light(wheel, tmp_path_factory) -> Installed:
    folder = tmp_path_factory.mktemp("light")
    return installed(wheel, folder, [THIRD / name for name in LIGHT])


@pytest.fixture(scope="module")
def site(wheel, tmp_path_factory) -> Installed:
    """With all other packages of the machine: the extra [site] among others."""
    folder = tmp_path_factory.mktemp("site")
    made = installed(wheel, folder, [])
    [packages] = made.environment.glob("**/site-packages")
    packages.joinpath("others.pth").write_text(f"{THIRD}\n")
    return made


def installed(wheel: Path, folder: Path, libraries: list[Path]) -> Installed:
    environment = folder / "environment"
    venv.create(environment, with_pip=False, symlinks=not IS_WINDOWS)
    [python] = environment.glob("[bS]*/python*3") or environment.glob("Scripts/python.exe")
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet"]
    run([*pip, "--no-deps", "--no-index", "--no-compile", wheel], cwd=folder)
    [packages] = environment.glob("**/site-packages")
    for library in libraries:
        for path in (library, library.with_name(f"{library.name}.libs")):
            if path.exists():
                packages.joinpath(path.name).symlink_to(path)
    work = folder / "work"
    work.mkdir()
    return Installed(environment, work)


def run(command: list[object], cwd: Path, code: int = 0, **variables: str) -> str:
    """Run a command that finds nothing of this repository; return what it says."""
    without = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONPATH", "DATA_DIR", "DATABASE_URL", "DJANGO_SETTINGS_MODULE")
    }
    done = subprocess.run(
        [*map(str, command)],
        cwd=cwd,
        env=without | variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def archives(tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("archives")
    return {
        "gt": zip_file(folder / "gt.zip", {f"gt_img_{at}.txt": f'{WORD},"a"\n' for at in (1, 2)}),
        "east": zip_file(folder / "east.zip", {f"res_img_{at}.txt": WORD for at in (1, 2)}),
        "craft": zip_file(folder / "craft.zip", {"res_img_1.txt": WORD, "res_img_2.txt": ""}),
    }


def test_a_wheel_is_small_and_has_no_tests(wheel):
    # A library that draws figures in the browser is 0.3 MB of it, packed.
    assert wheel.stat().st_size < 6_300_000
    with zipfile.ZipFile(wheel) as archive:
        tops = {name.partition("/")[0] for name in archive.namelist()}
        names = set(archive.namelist())
    [info] = {top for top in tops if top.endswith(".dist-info")}
    assert tops == {"annotate", "protocols", "rankings", "text_rankings", info}
    assert {
        f"{package}/py.typed" for package in ("protocols", "rankings", "text_rankings")
    } <= names
    assert f"{info}/licenses/LICENSE" in names
    assert not [name for name in names if "__pycache__" in name]


def test_the_source_archive_has_the_tests_and_makes_the_same_wheel(wheel, tmp_path):
    run([sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", tmp_path], cwd=ROOT)
    [packed] = tmp_path.glob("*.tar.gz")
    with tarfile.open(packed) as archive:
        archive.extractall(tmp_path, filter="data")
    [source] = (path for path in tmp_path.iterdir() if path.is_dir())
    for name in (
        "tests/conftest.py",
        "docs/index.md",
        "Makefile",
        "docs/how-to/release.md",
        "docs/paper/paper.md",
    ):
        assert source.joinpath(name).is_file(), name
    assert not source.joinpath("var").exists()
    run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path], cwd=source)
    [again] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as one, zipfile.ZipFile(again) as other:
        assert sorted(one.namelist()) == sorted(other.namelist())


def test_the_light_part_loads_its_three_libraries_and_no_django(light):
    loaded = (
        "import sys; before = set(sys.modules)\n"
        "import protocols.registry, protocols.formats.recognition.reading, rankings.agreement.report\n"
        "protocols.registry.all_protocols()\n"
        "print(*sorted({name.partition('.')[0] for name in set(sys.modules) - before}"
        " - set(sys.stdlib_module_names)))"
    )
    told = light.command("python", "-c", loaded).split()
    assert {name for name in told if not name.startswith("_")} <= {
        *LIGHT,
        *("protocols", "rankings", "text_rankings", "Cython", "cython_runtime"),
    }


def test_the_light_part_scores_and_compares_from_the_shell(light, archives):
    table = light.command(
        *("text-protocols", "score", "--protocol", "iou"),
        *("--truth", archives["gt"], "--results", archives["east"], archives["craft"]),
    )
    assert "craft" in table
    light.folder.joinpath("pair.json").write_text('[{"a": [["x"], ["y"]], "b": [["y"], ["x"]]}]')
    assert '"distance"' in light.command("text-order", "distance", "pair.json")


# Names that own scripts have, in detection repositories above all.
HOSTILE = (
    "engine",
    "config",
    "utils",
    "models",
    "tools",
    "core",
    "settings",
    "urls",
    "types_",
    "data",
)
EVERY_MODULE = (
    "import importlib, pkgutil, protocols, rankings, text_rankings\n"
    "for package in (protocols, rankings, text_rankings):\n"
    "    for found in pkgutil.walk_packages(package.__path__, package.__name__ + '.'):\n"
    "        if not found.name.startswith(WITHOUT) and not found.name.endswith('__main__'):\n"
    "            importlib.import_module(found.name)\n"
)
FOUR = (
    "import text_rankings as tr\n"
    "truth = {'a': [[0, 0, 9, 9]], 'b': [[0, 0, 9, 9]]}\n"
    "methods = {'east': truth, 'blind': {}}\n"
    "people = {'ann': [['east'], ['blind']]}\n"
    "answers = {'recall': {'a': people, 'b': people}}\n"
    "scores = tr.score(truth, methods, ['iou'])\n"
    "tr.compare(truth, methods, 'iou'), tr.rank(answers), tr.report(answers, scores)\n"
    "print(scores.overall['iou']['east'].recall)"
)


@pytest.fixture(scope="module")
def hostile(light, archives) -> Installed:
    """The light part in a folder whose own files have names that packages like."""
    folder = light.folder.parent / "hostile"
    folder.mkdir()
    for name in HOSTILE:
        folder.joinpath(f"{name}.py").write_text("raise RuntimeError(f'{__file__} was imported')\n")
    folder.joinpath("pair.json").write_text('[{"a": [["x"], ["y"]], "b": [["y"], ["x"]]}]')
    for name, path in archives.items():
        folder.joinpath(f"{name}.zip").symlink_to(path)
    return Installed(light.environment, folder)


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (["text-protocols", "list"], "iou"),
        (["text-protocols", "-g", "gt.zip", "-s", "east.zip", "-c", "DetEva"], '"recall": 1.0'),
        (
            [
                *("text-protocols", "score", "--protocol", "iou,cleval", "--workers", "2"),
                *("--truth", "gt.zip", "--results", "craft.zip"),
            ],
            "iou,craft,*,0.5,1.0",
        ),
        (["text-protocols", "errors", "--truth", "gt.zip", "--results", "craft.zip"], "missed"),
        (["text-order", "distance", "pair.json"], '"distance"'),
        (["text-rankings", "--version"], "."),
        (["python", "-m", "protocols", "list"], "iou"),
        (["python", "-m", "rankings", "distance", "pair.json"], '"distance"'),
        (["python", "-m", "text_rankings.site", "--version"], "."),
        (["python", "-c", FOUR], "1.0"),
        # The site's own modules need its extra.
        (["python", "-c", f"WITHOUT = 'text_rankings.site.'\n{EVERY_MODULE}print('all')"], "all"),
    ],
    ids=lambda part: " ".join(part[:3])[:40] if isinstance(part, list) else "",
)
def test_own_files_in_the_folder_break_nothing(hostile, command, says):
    assert says in hostile.command(*command, PYTHONPATH=".")


def test_own_files_in_the_folder_do_not_break_the_site(site, hostile):
    there = Installed(site.environment, hostile.folder)
    manage = ["text-rankings", "manage", "--data", site.folder.parent / "hostile-data"]
    for command in (["set_up", "--migrate"], ["check"], ["doctor", "--help"]):
        there.command(*manage, *command, PYTHONPATH=".")


def test_the_site_without_its_extra_says_what_to_install(light):
    said = light.command("text-rankings", "run", code=2)
    assert "pip install 'text-detection-rankings[site]'" in said


def test_cocos_figures_without_their_extra_say_what_to_install(light):
    for name, data in (("truth", {"images": [], "annotations": []}), ("found", [])):
        light.folder.joinpath(f"{name}.json").write_text(json.dumps(data))
    paths = "--truth", "truth.json", "--results", "found.json"
    said = light.command("text-protocols", "coco", *paths, code=2)
    assert "pip install 'text-detection-rankings[coco]'" in said
    scored = (
        "from protocols.coco import evaluate; print(evaluate('truth.json', 'found.json').stats)"
    )
    assert "'recall': None" in light.command("python", "-c", scored)


def test_the_main_job_runs_from_an_empty_folder(site, archives):
    data = site.folder / "a folder #1 %20"

    def manage(*arguments: object) -> str:
        return site.command("text-rankings", "manage", "--data", data, *arguments)

    manage("set_up")
    files = archives["gt"], archives["east"], archives["craft"]
    manage("import_files", *files, "--name", "Two words", "--yes")
    said = manage("score_protocol", "two-words", "iou")
    assert "iou" in said.lower()
    assert data.joinpath("db.sqlite3").is_file()
    told = site.command("text-rankings", "manage", "--data", data, "doctor", code=1)
    assert f"text-rankings manage --data '{data}' worker" in told
    assert list(site.folder.iterdir()) == [data]


def test_the_demo_has_pages_styles_and_documents_and_its_folder_for_itself(site):
    data, port = site.folder / "demo", free_port()
    with served(site, data, port):
        assert "worked example" in page(port, "/protocols/iou/").lower()
        assert "{" in page(port, "/static/css/base.css")
        again = site.command(
            "text-rankings", "run", "--data", data, f"127.0.0.1:{port + 1}", code=1
        )
    assert f"A site runs already on the data in {data}, at http://127.0.0.1:{port}/" in again


@contextmanager
def served(site: Installed, data: Path, port: int) -> Iterator[None]:
    """Run the demo until the block ends."""
    log = site.folder / "server.log"
    without = ("PYTHONPATH", "DATABASE_URL", "DJANGO_SETTINGS_MODULE")
    with log.open("wb") as out:
        server = subprocess.Popen(
            [site.program("text-rankings"), "demo", "--data", data, f"127.0.0.1:{port}"],
            cwd=site.folder,
            env={name: value for name, value in os.environ.items() if name not in without},
            stdout=out,
            stderr=subprocess.STDOUT,
        )
        try:
            wait_for(port, server, log)
            yield
        finally:
            server.terminate()
            server.wait(timeout=120)


def wait_for(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    until = monotonic() + 120
    while monotonic() < until and server.poll() is None:
        try:
            page(port, "/accounts/login/")
            return
        except OSError:
            sleep(0.2)
    raise AssertionError(log.read_text())


def page(port: int, path: str) -> str:
    with closing(HTTPConnection("127.0.0.1", port, timeout=120)) as connection:
        connection.request("GET", path)
        answer = connection.getresponse()
        text = answer.read().decode()
    assert answer.status == 200, path
    return text


def pins() -> Iterator[tuple[str, str]]:
    for file in ("requirements/site.in", "requirements/cluster.in"):
        for line in ROOT.joinpath(file).read_text(encoding="utf-8").splitlines():
            if line and not line.startswith(("#", "-")):
                pinned = Requirement(line)
                [version] = pinned.specifier
                yield pinned.name, version.version


def test_the_wheel_asks_for_what_servers_are_pinned_to():
    asked = {
        requirement.name: requirement.specifier
        for lines in (PROJECT["dependencies"], *PROJECT["optional-dependencies"].values())
        for requirement in map(Requirement, lines)
    }
    pinned = dict(pins())
    # For training loops, COCO files, shells and Windows: no server has them.
    absent = {"torch", "torchmetrics", "faster-coco-eval", "shtab", "tzdata"}
    assert asked.keys() - pinned.keys() == absent
    assert pinned.keys() - asked.keys() == set()
    assert [name for name, version in pinned.items() if version not in asked[name]] == []


def test_the_lowest_versions_that_are_tried_are_those_that_are_allowed():
    """`make lock` writes them, with the extras that the tests of the libraries need."""
    text = ROOT.joinpath("requirements/lowest.txt").read_text(encoding="utf-8")
    tried = dict(re.findall(r"^([\w-]+)==([^ ;]+)", text, re.MULTILINE))
    extras = PROJECT["optional-dependencies"]
    lines = [
        line
        for name in ("site", "server", "cluster", "coco", "completion")
        for line in extras[name]
    ]
    for line in (*PROJECT["dependencies"], *lines):
        requirement = Requirement(line)
        lowest = [of.version for of in requirement.specifier if of.operator == ">="]
        if lowest and requirement.name in tried:
            # As 3.1 and 3.1.0 are the same version.
            assert Version(tried[requirement.name]) >= Version(lowest[0]), line
            assert tried[requirement.name].startswith(lowest[0]), line
        else:
            assert "win32" in line, f"{line} needs a lowest version"
