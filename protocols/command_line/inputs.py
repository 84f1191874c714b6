"""Files of a command: standard input among them, and checks before anything is computed."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory


class BadInput(Exception):
    """Input that cannot be used; one sentence that names file, place and fault."""


@contextmanager
def taken(options: argparse.Namespace) -> Iterator[None]:
    """Check that files are there and outputs can be written; hold standard input, ``-``, in a file.

    Raises BadInput if one is not there, or standard input is named twice.
    """
    given = getattr(options, "results", None) or []
    results = [given] if isinstance(given, str | Path) else given
    named = [str(of) for of in (getattr(options, "truth", None), *results) if of]
    out, endings = getattr(options, "out", None), getattr(options, "endings", ())
    if out is not None and endings and out.suffix not in endings:
        raise BadInput(f"{out} must end in {' or '.join(endings)}")
    for path in named:
        if path != "-" and not Path(path).exists():
            raise BadInput(f"{path} cannot be read: there is no such file")
    if out is not None:
        require_writable(out)
    if named.count("-") > 1:
        raise BadInput("standard input can be only one of the files")
    if "-" not in named:
        yield
        return
    with TemporaryDirectory() as folder:
        held = Path(folder, "stdin")
        held.write_bytes(sys.stdin.buffer.read())
        if options.truth == "-":
            options.truth = str(held)
        elif given == "-":
            options.results = str(held)
        else:
            options.results = [str(held) if of == "-" else of for of in results]
        yield


def require_writable(path: Path) -> None:
    """Raise BadInput, with the fault, if a file cannot be written; it stays as it is."""
    was_there = path.exists()
    try:
        with open(path, "a", encoding="utf-8"):
            pass
    except OSError as fault:
        raise BadInput(f"{path} cannot be written: {fault.strerror or fault}") from fault
    if not was_there:
        path.unlink()
