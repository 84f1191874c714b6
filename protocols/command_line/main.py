"""The package's command line: ``python -m protocols COMMAND``, or as the competition's scripts.

Neither imports what only the other needs.
"""

import os
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code.

    Examples
    --------
    >>> main(["-g=gt.zip", "-s=east.zip"])
    Calculated!{"recall": 0.5, "precision": 1.0, "hmean": 0.6666666666666666, "AP": 0.0}
    0
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = _run(given)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has closed the pipe, as in `| head`; exit quietly.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


def _run(given: list[str]) -> int:
    if not given or given[0][:2] in ("-g", "-s", "-o", "-p", "-c"):
        from .standalone import run

        return run(given)
    from .commands import run_command

    return run_command(given)
