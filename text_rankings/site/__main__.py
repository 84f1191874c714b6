"""``python -m text_rankings.site``: what ``text-rankings`` does."""

from .program import main

if __name__ == "__main__":
    raise SystemExit(main())
