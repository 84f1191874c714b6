"""Command lines: their parser, what they say on a terminal, and where to compute."""

import argparse
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn, TextIO

from .suggestions import did_you_mean

if TYPE_CHECKING:
    from .chunks import Engine

# The exit code of shells for a program that Ctrl+C ended.
_INTERRUPTED: Final = 130

# Values of options that shells complete with names of files; as of shtab, which need not be installed.
_OF_FILES: Final = re.compile(r"\.|FILE|DIR|FOLDER|PHOTOS")
_FILES: Final = {
    "bash": "_shtab_compgen_files",
    "zsh": "_files",
    "fish": "(__fish_complete_path (commandline -ct))",
}


class Program(argparse.ArgumentParser):
    """Parser with examples in its help, suggestions for misspelt names, and completions of shells.

    With ``takes_others``, arguments that are not known are for another program.
    """

    def __init__(
        self,
        *arguments: Any,
        examples: Sequence[str] = (),
        takes_others: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(*arguments, **options)
        self.examples, self.takes_others = examples, takes_others

    def add_argument(self, *names: Any, **options: Any) -> argparse.Action:
        action = super().add_argument(*names, **options)
        if _OF_FILES.search(str(options.get("metavar", ""))):
            action.complete = _FILES  # type: ignore[attr-defined]  # shtab reads it
        return action

    def add_completions(self, version: str) -> None:
        """Add the options of whole programs: version and completions."""
        self.add_argument("--version", action="version", version=version)
        self.add_argument(
            "--print-completion",
            action=_PrintCompletion,
            choices=("bash", "zsh", "fish"),
            help="print a script for your shell that completes commands, options and files",
        )

    def format_help(self) -> str:
        shown = "".join(f"  {example}\n" for example in self.examples)
        return super().format_help() + (f"\nexamples:\n{shown}" if shown else "")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        found, others = super().parse_known_args(args, namespace)
        if others and not self.takes_others:
            known = re.findall(r"--[\w-]+", super().format_help())
            hint = did_you_mean(others[0], known) if others[0].startswith("-") else ""
            self.error(f"unrecognized arguments: {' '.join(others)}{hint}")
        return found, others

    def error(self, message: str) -> NoReturn:
        choice = re.search(r"invalid choice: '?([^' ]*)'? \(choose from (.*)\)", message)
        if choice:
            message += did_you_mean(choice[1], re.findall(r"[\w-]+", choice[2]))
        super().error(message)


class _PrintCompletion(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *arguments: Any) -> None:
        try:
            import shtab
        except ImportError:
            parser.error("completions need a package: pip install shtab")
        print(shtab.complete(parser, arguments[1]))
        parser.exit()


def as_typed(module: str, script: str) -> str:
    """Return how a program was started: ``python -m module``, or its script."""
    return f"python -m {module}" if Path(sys.argv[0]).name == "__main__.py" else script


def prose(text: str, stream: TextIO, indent: str = "") -> str:
    """Return indented lines of prose, wrapped to the width of the terminal if the stream is one."""
    if not stream.isatty():
        return indent + text
    wrapper = textwrap.TextWrapper(
        shutil.get_terminal_size().columns,
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )
    return "\n".join(map(wrapper.fill, text.splitlines()))


def interrupted() -> int:
    """Report on standard error that Ctrl+C ended the program; return its exit code."""
    print("\nInterrupted.", file=sys.stderr)
    return _INTERRUPTED


def output_ended(fault: OSError) -> int:
    """Report on standard error a fault of the output; return the exit code.

    A reader that closed the pipe, as in ``| head``, is no fault.
    """
    # Python would write the rest at the end of the process.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(fault, BrokenPipeError):
        return 0
    said = fault.filename or "The standard output cannot be written"
    print(f"{said}: {fault.strerror or fault}", file=sys.stderr)
    return 2


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for where to compute."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        *("--workers", "--jobs"),
        type=_whole_number,
        metavar="N",
        help="processes that compute; 1: this process only (default: one for each core)",
    )
    where.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="compute on the Dask cluster of this scheduler, such as tcp://10.0.0.5:8786",
    )


def _whole_number(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, got {text!r}")
    return int(text)


@contextmanager
def chosen_engine(
    options: argparse.Namespace, preload: Sequence[str] = ()
) -> "Iterator[Engine | None]":
    """Yield the engine that the options of ``add_options`` choose, None for this process; close it.

    ``preload`` are modules that chunks need, imported once for all processes. Raises EngineUnavailable
    if a cluster was requested and does not respond.
    """
    # Both take a while to import, and other commands need neither.
    engine: Engine
    if options.scheduler is not None:
        from .cluster import Cluster

        engine = Cluster(options.scheduler)
    else:
        from .processes import Processes, n_cores

        n_workers = options.workers or n_cores()
        if n_workers == 1:
            yield None
            return
        engine = Processes(n_workers, preload)
    with closing(engine):
        yield engine
