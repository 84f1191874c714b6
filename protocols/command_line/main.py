"""The package's command line: a COMMAND, or the options of the competition's scripts.

Neither form imports what only the other needs.
"""

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = _run(given)
        sys.stdout.flush()
    except KeyboardInterrupt:
        from text_rankings.base.options import interrupted

        return interrupted()
    except OSError as fault:
        from text_rankings.base.options import output_ended

        return output_ended(fault)
    return code


def _run(given: list[str]) -> int:
    if not given or given[0][:2] in ("-g", "-s", "-o", "-p", "-c"):
        from .standalone import run

        return run(given)
    from .commands import run_command

    return run_command(given)
