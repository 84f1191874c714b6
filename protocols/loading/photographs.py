"""Photographs of the commands and of the facade: their sizes, and boxes in the upright frame."""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from text_rankings.base.counts import counted, some_of

from ..core.errors import ProtocolError
from ..diagnostics.inspection import Noticed
from ..diagnostics.readings import FRAMES, words_of
from ..formats.containers.contents import Archive
from ..formats.containers.frames import PictureSize, orientation_of
from ..formats.containers.image_sizes import picture_sizes
from ..formats.problems import READ_ANYWAY, Problem, Problems

# How a person passes a reading: "--truth-reading stored".
Option = Callable[[str], str]


class NoPhotographs(ProtocolError, ValueError):
    """Photographs that cannot be read; the message names the file."""


def photographs(path: str) -> Mapping[str, PictureSize]:
    """Return the sizes of the photographs in a zip or folder by image.

    Raises NoPhotographs if there is no such file, or it holds no photograph.
    """
    if not path:
        raise NoPhotographs("the path of the photographs is empty; expected a zip or a folder")
    if not Path(path).exists():
        raise NoPhotographs(
            f"{path} cannot be read: there is no such file or folder of photographs"
        )
    sizes = pictures(path)
    if not sizes:
        raise NoPhotographs(
            f"{path} holds no photograph; expected JPEG, PNG or WebP files in a zip or a folder"
        )
    return sizes


def pictures(path: str) -> Mapping[str, PictureSize]:
    """Return the sizes of pictures in a file by image, none if it holds none."""
    return _as_they_are(path, state_of(path))


def known_pictures(path: str, given: str | None) -> Mapping[str, PictureSize]:
    """Return the sizes of pictures in a file, and of the photographs that a person gave for it."""
    return {**pictures(path), **(photographs(given) if given else {})}


@lru_cache(maxsize=32)
def _as_they_are(path: str, _: object) -> Mapping[str, PictureSize]:
    return picture_sizes(path)


def state_of(path: str) -> tuple[str, int, int, int] | None:
    """Return path, inode, size and modification time of a file, or None if it is inaccessible."""
    try:
        now = os.stat(path)
    except OSError:
        # Reading the file reports why.
        return None
    changed = now.st_mtime_ns
    if os.path.isdir(path):
        changed = max(of.stat().st_mtime_ns for of in (Path(path), *Path(path).rglob("*")))
    return os.path.realpath(path), now.st_ino, now.st_size, changed


def with_answers(
    noticed: Noticed,
    known: Mapping[str, PictureSize],
    are_given: bool,
    reading: str,
    option: Option,
) -> Archive:
    """Return a file whose question of its frame is a warning, with the option that answers it.

    ``known`` are the pictures that are known. A warning also says that photographs that are given are
    not of all images, or that a reading of a frame changes nothing.
    """
    archive, trial = noticed.archive, noticed.trial
    problems = archive.collected()
    problems.found = [
        of if of.severity != "question" or trial is None else _told(of, trial["reading"], option)
        for of in problems.found
    ]
    if are_given:
        _tell_lacking(problems, archive, known)
    if reading in FRAMES and not any(orientation_of(known.get(of)) > 1 for of in archive.regions):
        tell_unused(problems, reading)
    return archive.with_problems(problems)


def tell_unused(problems: Problems, reading: str) -> None:
    """Warn that a frame was named and no photograph has an EXIF orientation."""
    same = f"so that a file read {words_of(reading)} is the same"
    found = f"no photograph with an EXIF orientation, {same}"
    problems.warning("F8", found, "the photographs of its images")


def _told(question: Problem, other: str, option: Option) -> Problem:
    expected = {
        "stored": "boxes on the upright photographs; if they are on those as stored: ",
        "upright": "boxes on the photographs as stored; if they are on the upright ones: ",
    }[other] + option(other)
    return replace(question, severity="warning", expected=expected, action=READ_ANYWAY)


def _tell_lacking(problems: Problems, archive: Archive, known: Mapping[str, PictureSize]) -> None:
    lacking = [image for image in archive.regions if image not in known]
    if not lacking:
        return
    problems.warning(
        "N4",
        f"no photograph of {len(lacking)} of {counted(len(archive.regions), 'image')} "
        f"({some_of(lacking)})",
        "a photograph of each, named after its image",
    )
