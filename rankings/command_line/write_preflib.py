"""``python -m rankings preflib``: rankings as files of PrefLib."""

import argparse
import re
import sys
from functools import partial
from pathlib import Path
from typing import Any, Final

from text_rankings.base.names import natural_order

from ..errors import RankingError
from .preflib import UNTITLED, text_of_preflib

_UNSAFE: Final = re.compile(r"[^\w.-]")


def add_preflib(commands: Any) -> None:
    """Add the command ``preflib``."""
    text = (
        "rankings as files of PrefLib, for programs of social choice. RANKINGS.csv is as for analyse. "
        "FOLDER gets a folder for each criterion with a file for each image: .toc, .toi if annotators "
        "left out methods, .soc and .soi without ties. Annotators are not named. analyse and detectors "
        "read such a file or folder in place of RANKINGS.csv."
    )
    parser = commands.add_parser("preflib", help=text.partition(". ")[0], description=text)
    parser.add_argument("file", metavar="RANKINGS.csv")
    parser.add_argument("folder", metavar="FOLDER")
    parser.set_defaults(run=_written, read=str)


def _written(path: str, options: argparse.Namespace) -> str:
    # Tables take a while to load, and the other commands are called often.
    from .answer_files import read_rankings

    folder = Path(options.folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise RankingError(f"{folder} is there already; name a folder that is new or empty")
    rankings = read_rankings(path, partial(print, file=sys.stderr), whole=False)
    files: dict[Path, str] = {}
    for criterion, images in rankings.items():
        ranked = {image: [*own.values()] for image, own in images.items() if own}
        for at, image in enumerate(sorted(ranked, key=natural_order), 1):
            name = f"{at:05}-" + _UNSAFE.sub("_", image)
            text = text_of_preflib(ranked[image], image, criterion, name)
            head = text.partition("\n")[0].removeprefix("# FILE NAME: ")
            file = folder / (criterion or UNTITLED) / head
            if file in files:
                raise RankingError(f"{path} has rankings of {image} with and without a criterion")
            files[file] = text
    if not files:
        raise RankingError(f"{path} has no ranking")
    for file, text in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")
    n = sum(len(own) for images in rankings.values() for own in images.values())
    return f"{len(files)} files with {n} rankings\n"
