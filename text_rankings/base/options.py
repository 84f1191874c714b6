"""The options of command lines that say where to compute."""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .chunks import Engine


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where to compute.

    Examples
    --------
    >>> parser = argparse.ArgumentParser()
    >>> add_options(parser)
    >>> parser.parse_args(["--jobs", "4"]).workers
    4
    """
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
    """Yield where to compute as the options say, None for in this process; end it afterwards.

    Parameters
    ----------
    options : Namespace
        Of a parser that ``add_options`` was called with.
    preload : sequence of str
        Modules that chunks need, imported once for all processes.

    Raises
    ------
    EngineUnavailable
        If a cluster was asked for and does not answer.

    Examples
    --------
    >>> with chosen_engine(argparse.Namespace(scheduler=None, workers=1)) as engine:
    ...     print(engine)
    None
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
