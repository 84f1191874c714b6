"""Options of the command that makes a study, for its help in two programs; without Django."""

from argparse import ArgumentParser
from pathlib import Path


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument(
        "file", nargs="?", type=Path, metavar="FILE", help="a study file, as study.toml"
    )
    parser.add_argument("--truth", metavar="FILE", help="ground truth, in place of a study file")
    parser.add_argument("--photographs", metavar="FILE", help="a folder or zip of photographs")
    parser.add_argument("--results", nargs="+", metavar="FILE", help="results of the methods")
    parser.add_argument("--name", help="name of the study, without a study file")
    parser.add_argument("--annotators", type=int, default=3, help="number of invitations")
    parser.add_argument("--yes", action="store_true", help="make it without asking")
    parser.add_argument(
        "--json",
        action="store_true",
        help="make it without asking; print one JSON document, all else on standard error",
    )
    parser.add_argument(
        "--address", default="", help="address of the site in the links, https://..."
    )
    parser.add_argument(
        "--schema", action="store_true", help="write the JSON Schema of study files, and end"
    )
