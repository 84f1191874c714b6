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
    from ..codabench.settings import settings_of
    from ..codabench.values import FILES, read_yaml, shipped
    from ..codabench.writing import write_bundle
    from ..loading.sources import Formats, read_scenes

    if options.example:
        print((FILES / "example.yaml").read_text(encoding="utf-8"), end="")
        return
    if not (options.settings and options.truth and options.out):
        raise BadInput("codabench write needs SETTINGS.yaml, --truth and --out, or --example")
    truth = read_scenes(options.truth, None, Formats(truth=options.truth_format))
    try:
        content = read_yaml(options.settings.read_text(encoding="utf-8"), "the file")
        settings = settings_of(content, [scene.name for scene in truth])
        picture, public_data = (
            (options.settings.parent / name).read_bytes() if (name := settings.given[key]) else None
            for key in ("image", "public_data")
        )
        packages = None
        if options.packages:
            packages = unpacked(options.packages, needed(settings.protocols))
        elif settings.given["docker_image"] == shipped("settings.yaml")["docker_image"]["default"]:
            packages = downloaded(needed(settings.protocols))
        warnings = write_bundle(
            options.out,
            settings,
            truth,
            packages=packages,
            picture=picture,
            public_data=public_data,
        )
    except ProtocolError as refusal:
        raise BadInput(f"{options.settings}: {refusal}") from refusal
    except (OSError, UnicodeDecodeError) as fault:
        name = getattr(fault, "filename", None) or options.settings
        raise BadInput(f"{name} cannot be read: {getattr(fault, 'strerror', fault)}") from fault
    for said in warnings:
        print(f"warning: {said}", file=sys.stderr)
    print(f"{options.out}: {options.out.stat().st_size / 1e6:.1f} MB", file=sys.stderr)


def _check(options: argparse.Namespace) -> None:
    from ..codabench.worker import check_bundle

    for line in check_bundle(options.bundle, options.submission):
        print(line, flush=True)
