#!/usr/bin/env python3
"""Run a command of the site: ``python manage.py help`` lists them."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "text_rankings.site.settings")
    from django.core.exceptions import ImproperlyConfigured

    from text_rankings.site.program import run

    try:
        run(sys.argv)
    except ImproperlyConfigured as refusal:
        sys.exit(str(refusal))


if __name__ == "__main__":
    main()
