"""``python -m protocols``: the package's command line."""

from .command_line.main import main

if __name__ == "__main__":
    raise SystemExit(main())
