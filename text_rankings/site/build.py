"""The build of the program: the commit that it was made from."""

import json
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

from . import places

_N_CHARACTERS: Final = 10


def build() -> str:
    """Return the beginning of the commit's hash; empty if the installation does not know it.

    A checkout knows its own; for an installation from a repository pip stores it (PEP 610).
    """
    with suppress(OSError, ValueError, KeyError, PackageNotFoundError):
        if places.REPOSITORY is not None:
            return _of_checkout(places.REPOSITORY)[:_N_CHARACTERS]
        installed = distribution("text-detection-rankings").read_text("direct_url.json")
        return str(json.loads(installed or "{}")["vcs_info"]["commit_id"])[:_N_CHARACTERS]
    return ""


def _of_checkout(root: Path) -> str:
    """Read the commit from git's files; nothing here starts a process."""
    folder = root / ".git"
    if folder.is_file():  # a further work tree
        folder = root / folder.read_text().removeprefix("gitdir:").strip()
    shared = folder / "commondir"
    common = folder / shared.read_text().strip() if shared.is_file() else folder
    head = (folder / "HEAD").read_text().strip()
    name = head.removeprefix("ref: ")
    if name == head:
        return head
    if (common / name).is_file():
        return (common / name).read_text().strip()
    packed = (common / "packed-refs").read_text().splitlines()
    return next((line.split()[0] for line in packed if line.endswith(f" {name}")), "")
