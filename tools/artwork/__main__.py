"""Write all artwork to where the site ships it: `python -m tools.artwork`, or `make artwork`."""

import os
import tempfile

import django
from django.core.management import call_command

from .cards import pictures


def main() -> None:
    for path, data in pictures.files():
        path.write_bytes(data)
    with tempfile.TemporaryDirectory() as folder:
        # The study is set up in a database of its own, which is empty and goes away.
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "text_rankings.site.settings",
            "DATABASE_URL": "sqlite://:memory:",
            "DATA_DIR": folder,
        }
        django.setup()
        call_command("migrate", verbosity=0)
        call_command("createcachetable", verbosity=0)
        _write_demo()


def _write_demo() -> None:
    from annotate.demo.services import ARCHIVE

    from .demo.archive import write_archive
    from .demo.scenes import draw_scenes

    unfinished = ARCHIVE.with_suffix(".new")
    with unfinished.open("wb") as file:
        write_archive(draw_scenes(), file)
    unfinished.replace(ARCHIVE)


if __name__ == "__main__":
    main()
