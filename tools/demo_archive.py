"""Rewrite the demo's archive in the current bundle format: `make demo-archive`.

Photographs, ground truth, results and answers are kept as they are in the archive; scores and the
report are recomputed.
"""

import os
import tempfile
from typing import IO
from unittest import mock
from zipfile import ZipFile

import django
from django.conf import settings
from django.core.management import call_command


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        # The study is read into an empty, temporary database.
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "text_rankings.site.settings",
            "DATABASE_URL": "sqlite://:memory:",
            "DATA_DIR": folder,
        }
        django.setup()
        call_command("migrate", verbosity=0)
        call_command("createcachetable", verbosity=0)

        from annotate.demo.services import ARCHIVE

        unfinished = ARCHIVE.with_suffix(".new")
        with tempfile.TemporaryFile() as file:
            write_again(file)
            # Smaller in the wheel than a bundle, which may be large, is written.
            with ZipFile(file) as bundle, ZipFile(unfinished, "w", compresslevel=9) as archive:
                for entry in bundle.infolist():
                    archive.writestr(entry, bundle.read(entry), compresslevel=9)
        unfinished.replace(ARCHIVE)


def write_again(stream: IO[bytes]) -> None:
    """Read the demo's answered study into the database, score it again and write it as a bundle."""
    from annotate.demo.services import import_finished_study
    from annotate.exchange.bundles.writing import write_bundle
    from annotate.scoring.services import score_protocol

    study = import_finished_study()
    for run in study.dataset.runs.order_by("created", "pk"):
        with mock.patch("django.utils.timezone.now", lambda created=run.created: created):
            score_protocol(dataset=study.dataset, slug=run.protocol, parameters=run.parameters)
        run.delete()
    # The archive is the same, whatever commit wrote it.
    with mock.patch.object(settings, "BUILD", ""):
        write_bundle(study, stream, photographs=True, names=True)


if __name__ == "__main__":
    main()
