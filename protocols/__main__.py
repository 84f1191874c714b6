"""``python -m protocols``: the package's command line, as a process of its own."""

import gc
import os
from typing import Final

# The libraries of linear algebra below numpy start a thread for each core, which nothing here uses.
_THREADS: Final = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")


def main() -> int:
    """Run the command line; return its exit code."""
    for name in _THREADS:
        os.environ.setdefault(name, "1")
    # Below this many objects a search for cycles takes more time than it saves memory.
    gc.set_threshold(200_000, 20, 20)
    from .command_line.main import main as run

    code = run()
    # The last search, at the end of the process, finds nothing to free.
    gc.freeze()
    return code


if __name__ == "__main__":
    raise SystemExit(main())
