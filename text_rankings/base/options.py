"""Command-line options for where to compute."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from .chunks import Engine

# The exit code of shells for a program that Ctrl+C ended.
_INTERRUPTED: Final = 130


def interrupted() -> int:
    """Report on standard error that Ctrl+C ended the program; return its exit code."""
    print("\nInterrupted.", file=sys.stderr)
    return _INTERRUPTED


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
    """Yield the engine that the options choose, None for this process; close it afterwards.

    Parameters
    ----------
    options : Namespace
        From a parser with the options of ``add_options``.
    preload : sequence of str
        Modules that chunks need, imported once for all processes.

    Raises
    ------
    EngineUnavailable
        If a cluster was requested and does not respond.
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
