"""``text-rankings``: the site from an installed package."""

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext, redirect_stdout
from importlib.util import find_spec
from pathlib import Path

from rankings import __version__
from text_rankings.base.options import Program, interrupted, output_ended
from text_rankings.judge import command as judge

_NOT_DONE = 2
# Of the command study: print the links, and do not start the site.
_NO_SITE = "--no-site"
_SITE = "pip install 'text-detection-rankings[site]'"


def main(arguments: Sequence[str] | None = None) -> int:
    try:
        return _main(arguments)
    except OSError as fault:
        return output_ended(fault)


def _main(arguments: Sequence[str] | None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["judge"]:
        # It needs no site: it runs where the model is.
        return judge.main(given[1:])
    options, rest = _parser().parse_known_args(given)
    if options.command == "study" and not {"--help", "-h"}.isdisjoint(rest):
        _study_parser().print_help()
        return 0
    if any(find_spec(module) is None for module in ("django", "allauth", "platformdirs")):
        return _refused(f"The site is an extra that is not installed: {_SITE}")
    from .places import UnusableFolder, made, usual_data_folder

    named = options.data or os.environ.get("DATA_DIR", "").strip()
    folder = Path(named).expanduser().resolve() if named else usual_data_folder()
    try:
        os.environ["DATA_DIR"] = str(made(folder))
    except UnusableFolder as refusal:
        return _refused(str(refusal))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "text_rankings.site.settings")
    from django.core.exceptions import ImproperlyConfigured

    try:
        _run(options, rest, folder)
    except ImproperlyConfigured as refusal:
        return _refused(str(refusal))
    return 0


def run(arguments: Sequence[str]) -> None:
    """Run a management command, ours or Django's, and exit with a sentence if it cannot.

    Full and read-only disks, databases that do not answer, outputs that end and Ctrl+C leave no
    traceback.
    """
    from django.core.management import execute_from_command_line
    from django.db import DatabaseError

    try:
        try:
            execute_from_command_line(list(arguments))
        except BrokenPipeError:
            raise
        except (DatabaseError, OSError) as fault:
            from annotate.management.site_command import sentence

            sys.exit(sentence(fault))
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt:
        sys.exit(interrupted())
    except OSError as fault:
        sys.exit(output_ended(fault))


def _run(options: argparse.Namespace, rest: Sequence[str], folder: Path) -> None:
    from django.conf import settings

    # Report faulty settings here; a command would show a traceback.
    _ = settings.INSTALLED_APPS
    manage = "text-rankings manage"
    if options.command == "manage":
        run([manage, *(rest or ["help"])])
        return
    if options.command == "study":
        with redirect_stdout(sys.stderr) if "--json" in rest else nullcontext():
            run([manage, "set_up", "--migrate"])
        asked = [each for each in rest if each != _NO_SITE]
        run([manage, "make_study", *asked])
        if not {_NO_SITE, "--schema", "--json"}.isdisjoint(rest):
            return
        print(f"\nData: {folder}\nThe site runs there; Ctrl+C stops site and worker", flush=True)
        run([manage, "run_site", "127.0.0.1:8000"])
        return
    if options.command == "worker":
        run([manage, "worker", *rest])
        return
    migrate = ["--migrate"] if options.command == "demo" or options.migrate else []
    run([manage, "set_up", *migrate])
    if options.command == "demo":
        run([manage, "load_demo"])
    print(
        f"\nData: {folder}\nOpen http://{options.address}/ (Ctrl+C stops site and worker)",
        flush=True,
    )
    run([manage, "run_site", options.address])


def _parser() -> argparse.ArgumentParser:
    parser = Program(
        "text-rankings",
        description="People compare text detections side by side; protocols are scored by how far they are "
        "from what people say.",
        examples=(
            "text-rankings demo",
            "text-rankings study study.toml",
            "text-rankings run --data ~/rankings 127.0.0.1:8080",
            "text-rankings manage backup rankings.zip",
        ),
        takes_others=True,
    )
    parser.add_completions(__version__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, says in (
        ("demo", "set up a site with an answered study and one to try, and start it"),
        ("run", "start the site and a worker with the data there are"),
        ("study", "load, score and open a study from one file, and print its links"),
        ("judge", "let a model or a program answer the pairs of a study"),
        ("worker", "work on jobs of a site that runs elsewhere"),
        ("manage", "run a management command; without one, list them"),
    ):
        own = name in ("demo", "run")
        command = commands.add_parser(
            name,
            help=says,
            description=says,
            add_help=name not in ("manage", "study"),
            takes_others=not own,
        )
        _add_data(command)
        if own:
            command.add_argument(
                "address", nargs="?", default="127.0.0.1:8000", metavar="ADDRESS", type=_address
            )
        if name == "run":
            command.add_argument(
                "--migrate",
                action="store_true",
                help="bring data of an older version up to this one",
            )
    return parser


def _add_data(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", metavar="FOLDER", help="where data are kept (or DATA_DIR)")


def _study_parser() -> argparse.ArgumentParser:
    """Return the parser of the command study, with the options of the command that it runs."""
    from annotate.management.study_options import add_options

    parser = Program(
        "text-rankings study",
        description="Load, score and open a study from one file, print its links, and start the site.",
        examples=(
            "text-rankings study study.toml",
            "text-rankings study --truth gt.zip --photographs images --results east.zip craft.zip",
        ),
    )
    add_options(parser)
    _add_data(parser)
    parser.add_argument(
        _NO_SITE, action="store_true", help="end after the links, as with --json and --schema"
    )
    return parser


def _address(text: str) -> str:
    """Check an address before anything is set up: a port, or a host and a port."""
    port = text.rpartition(":")[2]
    if not port.isdecimal() or not 0 < int(port) < 65536:
        raise argparse.ArgumentTypeError(
            f"expected a port from 1 to 65535, as in 8080, got {text!r}"
        )
    return text


def _refused(sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return _NOT_DONE
