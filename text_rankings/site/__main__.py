"""``python -m text_rankings.site``, the same program as ``text-rankings``."""

from .program import main

if __name__ == "__main__":
    raise SystemExit(main())
