"""Folders, which are read as zips of their files."""

import io
import zipfile
from collections.abc import Collection
from pathlib import Path

from .documents import PICTURES
from .files import Source


def holds_photographs(path: Path) -> bool:
    """Return whether most files of a folder are photographs by name; of a file, False."""
    suffixes = [of.suffix.lower() for of in path.rglob("*") if of.is_file()]
    return 2 * sum(suffix in PICTURES for suffix in suffixes) > len(suffixes)


def unfolded(source: Source, without: Collection[str] = ()) -> Source:
    """Return a folder as a zip of its files without photographs; anything else unchanged.

    Names in ``without`` are left out at the top of the folder.
    """
    if not isinstance(source, str | Path) or not Path(source).is_dir():
        return source
    folder, packed = Path(source), io.BytesIO()
    with zipfile.ZipFile(packed, "w") as made:
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder)
            is_hidden = any(part.startswith(".") for part in name.parts)
            if name.as_posix() in without:
                continue
            if path.is_file() and not is_hidden and path.suffix.lower() not in PICTURES:
                made.writestr(zipfile.ZipInfo(name.as_posix()), path.read_bytes())
    return packed
