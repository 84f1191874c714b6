"""Packages of a scoring program: our sources, and unpacked wheels of what they need."""

import re
import subprocess  # nosec B404
import sys
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from ..core.base import Protocol
from .values import SettingsError

_ROOT: Final = Path(__file__).resolve().parents[2]
_OURS: Final = ("protocols", "text_rankings/base", "text_rankings/__init__.py")
# That of the default image.
_PYTHON: Final = "3.12"
_PLATFORMS: Final = ("manylinux_2_28_x86_64", "manylinux2014_x86_64")
_WHEEL: Final = re.compile(
    r"(?P<name>\w+)-[^-]+-cp3(?P<minor>\d+)-cp3\d+-.*(?:x86_64|aarch64)\.whl"
)
# Parts of wheels that are not imported.
_LEFT_OUT: Final = re.compile(r"/tests?/|\.pyi$|/include/|\.dist-info/|\.a$")


@dataclass(frozen=True, slots=True)
class Packages:
    """Files by their path below ``packages/``, and the version of Python that they need."""

    python: str
    files: Mapping[str, bytes]


def sources() -> dict[str, bytes]:
    """Return the files of our packages that scoring needs."""
    found = {}
    for top in _OURS:
        path = _ROOT / top
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.suffix in (".py", ".json") and "__pycache__" not in file.parts:
                found[file.relative_to(_ROOT).as_posix()] = file.read_bytes()
    return found


def needed(protocols: Iterable[Protocol]) -> list[str]:
    """Return the libraries that scoring with these protocols imports."""
    matching = {getattr(protocol, "matching", "") for protocol in protocols}
    return ["numpy", *(["scipy"] if matching & {"most", "heaviest"} else []), "shapely"]


def unpacked(folder: Path, names: Iterable[str]) -> Packages:
    """Return wheels of a folder; raise SettingsError, naming those that are missing."""
    wheels: dict[str, tuple[str, Path]] = {}
    for path in sorted(folder.glob("*.whl")):
        if match := _WHEEL.fullmatch(path.name):
            wheels[match["name"]] = f"3.{match['minor']}", path
    if missing := [f"{name}-*-cp3*-manylinux*.whl" for name in names if name not in wheels]:
        raise SettingsError("packages", f"{folder} has no {' and no '.join(missing)}")
    pythons = {wheels[name][0] for name in names}
    if len(pythons) > 1:
        raise SettingsError("packages", f"wheels for several Pythons: {', '.join(sorted(pythons))}")
    files: dict[str, bytes] = {}
    for name in names:
        try:
            with zipfile.ZipFile(wheels[name][1]) as wheel:
                for entry in wheel.infolist():
                    if not entry.is_dir() and not _LEFT_OUT.search(entry.filename):
                        files[entry.filename] = wheel.read(entry)
        except (OSError, zipfile.BadZipFile) as fault:
            raise SettingsError("packages", f"{wheels[name][1].name}: {fault}") from fault
    return Packages(pythons.pop(), files)


def downloaded(names: Iterable[str]) -> Packages:
    """Return wheels for the default image in the versions installed here, fetched with pip.

    Raises SettingsError if pip cannot fetch them.
    """
    wanted = [f"{name}=={version(name)}" for name in names]
    platforms = [part for of in _PLATFORMS for part in ("--platform", of)]
    with TemporaryDirectory() as folder:
        asked = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder]
        asked += ["--only-binary=:all:", "--python-version", _PYTHON, *platforms, *wanted]
        done = subprocess.run(asked, capture_output=True, text=True, check=False)  # nosec B603
        if done.returncode:
            raise SettingsError(
                "packages",
                f"pip did not get {' and '.join(wanted)} for Python {_PYTHON} on {_PLATFORMS[0]}; give a "
                "folder with their wheels (--packages FOLDER), or name an image that has them "
                "(docker_image)",
            )
        return unpacked(Path(folder), names)
