"""Competitions on Codabench: writing a bundle, and checking one as Codabench does."""

import argparse
import sys
from pathlib import Path
from typing import Any

from ..core.errors import ProtocolError
from .inputs import BadInput


def add_command(commands: Any) -> None:
    """Add the command ``codabench`` with ``write`` and ``check``."""
    both = commands.add_parser("codabench", help="write a competition for Codabench, or check one")
    parsers = both.add_subparsers(required=True, metavar="ACTION")
    write = parsers.add_parser("write", help="write the bundle that Codabench takes")
    write.add_argument("settings", nargs="?", type=Path, metavar="SETTINGS.yaml")
    write.add_argument("--example", action="store_true", help="print an example of the settings")
    write.add_argument("--truth", metavar="gt.zip")
    write.add_argument("--truth-format", metavar="SLUG", help="how the ground truth is written")
    write.add_argument("--out", type=Path, metavar="bundle.zip")
    write.add_argument(
        "--packages",
        type=Path,
        metavar="FOLDER",
        help="wheels of numpy and shapely for the image; pip fetches those of the default image",
    )
    write.set_defaults(run=_write, endings=(".zip",))
    check = parsers.add_parser("check", help="say what Codabench and participants would see")
    check.add_argument("bundle", type=Path, metavar="bundle.zip")
    check.add_argument("--submission", nargs="+", default=[], type=Path, metavar="res.zip")
    check.set_defaults(run=_check)


def _write(options: argparse.Namespace) -> None:
    from ..codabench.packages import downloaded, needed, unpacked
    from ..codabench.scoring import TruthImage
    from ..codabench.settings import settings_of
    from ..codabench.values import FILES, read_yaml
    from ..codabench.writing import write_bundle
    from .sources import Formats, read_truth

    if options.example:
        print((FILES / "example.yaml").read_text(encoding="utf-8"), end="")
        return
    if not (options.settings and options.truth and options.out):
        raise BadInput("codabench write needs SETTINGS.yaml, --truth and --out, or --example")
    text = _content_of(options.settings).decode(errors="replace")
    try:
        settings = settings_of(read_yaml(text, "line"))
        archive = read_truth(options.truth, Formats(truth=options.truth_format))
        truth = {
            name: TruthImage(
                regions, archive.sizes.get(name, (None, None)), archive.parents.get(name, {})
            )
            for name, regions in archive.regions.items()
        }
        beside = {
            name: options.settings.parent / given if (given := settings.given[name]) else None
            for name in ("image", "public_data")
        }
        packages = None
        if options.packages:
            packages = unpacked(options.packages, needed(settings.protocols))
        elif settings.has_default_image:
            packages = downloaded(needed(settings.protocols))
        with open(options.out, "wb") as stream:
            warnings = write_bundle(
                stream,
                settings,
                truth,
                packages=packages,
                picture=_content_of(beside["image"]) if beside["image"] else None,
                public_data=beside["public_data"],
            )
    except ProtocolError as refusal:
        options.out.unlink(missing_ok=True)
        raise BadInput(f"{options.settings}: {refusal}") from refusal
    for said in warnings:
        print(f"warning: {said}", file=sys.stderr)
    print(f"{options.out}: {options.out.stat().st_size / 1e6:.1f} MB", file=sys.stderr)


def _content_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as fault:
        raise BadInput(f"{path} cannot be read: {fault.strerror}") from fault


def _check(options: argparse.Namespace) -> None:
    from ..codabench.worker import check_bundle

    for path in (options.bundle, *options.submission):
        if not path.is_file():
            raise BadInput(f"{path} cannot be read: there is no such file")
    for line in check_bundle(options.bundle, options.submission):
        print(line, flush=True)
