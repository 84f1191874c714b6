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
OURS: Final = ("protocols", "text_rankings")
_NOT_SCORING: Final = re.compile(r"__pycache__|text_rankings/(?!base/|__init__)")
# That of the default image.
_PYTHON: Final = "3.12"
_PLATFORMS: Final = ("manylinux_2_28_x86_64", "manylinux2014_x86_64")
_WHEEL: Final = re.compile(r"(\w+)-[^-]+-cp3(\d+)-cp3\d+-.*(?:x86_64|aarch64)\.whl")
# Parts of wheels that are not imported.
_LEFT_OUT: Final = re.compile(r"/tests?/|\.pyi$|/include/|\.dist-info/|\.a$|/$")


@dataclass(frozen=True, slots=True)
class Packages:
    """Files by their path below ``packages/``, and the version of Python that they need."""

    python: str
    files: Mapping[str, bytes]


def sources() -> dict[str, bytes]:
    """Return the files of our packages that scoring needs."""
    found = sorted(path for top in OURS for path in (_ROOT / top).rglob("*.*"))
    paths = {path.relative_to(_ROOT).as_posix(): path for path in found}
    return {
        name: path.read_bytes()
        for name, path in paths.items()
        if path.suffix in (".py", ".json") and not _NOT_SCORING.search(name)
    }


def needed(protocols: Iterable[Protocol]) -> list[str]:
    """Return the libraries that scoring with these protocols imports."""
    matching = {getattr(protocol, "matching", "") for protocol in protocols}
    return ["numpy", *(["scipy"] if matching & {"most", "heaviest"} else []), "shapely"]


def unpacked(folder: Path, names: Iterable[str]) -> Packages:
    """Return wheels of a folder; raise SettingsError, naming those that are missing."""
    found = [_WHEEL.fullmatch(path.name) for path in sorted(folder.glob("*.whl"))]
    wheels = {match[1]: match for match in found if match}
    if missing := [f"{name}-*-cp3*-manylinux*.whl" for name in names if name not in wheels]:
        raise SettingsError("packages", f"{folder} has no {' and no '.join(missing)}")
    pythons = sorted({f"3.{wheels[name][2]}" for name in names})
    if len(pythons) > 1:
        raise SettingsError("packages", f"wheels for several Pythons: {', '.join(pythons)}")
    files: dict[str, bytes] = {}
    for name in names:
        try:
            with zipfile.ZipFile(folder / wheels[name][0]) as wheel:
                wanted = [of for of in wheel.namelist() if not _LEFT_OUT.search(of)]
                files |= {of: wheel.read(of) for of in wanted}
        except (OSError, zipfile.BadZipFile) as fault:
            raise SettingsError("packages", f"{wheels[name][0]}: {fault}") from fault
    return Packages(pythons[0], files)


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
            why = (
                f"pip did not get {' and '.join(wanted)} for Python {_PYTHON} on {_PLATFORMS[0]}; "
                "give a folder with their wheels, or name an image that has them (docker_image)"
            )
            raise SettingsError("packages", why)
        return unpacked(Path(folder), names)
