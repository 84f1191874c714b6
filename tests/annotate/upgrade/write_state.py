"""Write a state that `test_upgrade.py` begins with: `python -m tests.annotate.upgrade.write_state 0.1`.

It is a backup of a small site, and the bundle of its answered study.
"""

import io
import os
import sys
import tempfile
from pathlib import Path

import django
from django.conf import settings
from django.core.management import call_command

FOLDER = Path(__file__).parent


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "text_rankings.site.settings",
            "DATABASE_URL": f"sqlite:///{folder}/state.sqlite3",
            "DATA_DIR": folder,
        }
        django.setup()
        settings.JOBS = "here"
        call_command("set_up", verbosity=0)
        study = make_site()

        from annotate.exchange.bundles.writing import write_bundle
        from annotate.operations.backups.writing import write_backup

        for name, write in (
            ("site", lambda stream: write_backup(stream, photographs=False)),
            ("study", lambda stream: write_bundle(study, stream)),
        ):
            stream = io.BytesIO()
            write(stream)
            FOLDER.joinpath(f"{name}-{sys.argv[1]}.zip").write_bytes(stream.getvalue())


def make_site():
    """Make a site with something of everything; return the study that was answered to its end."""
    from annotate.judging import services as judging
    from tests.support.factories import add_annotator
    from tests.support.truths import rank_everything, same_truth
    from tests.support.world import TRUTH, make_world

    finished = named(make_world().study, "Finished")
    for annotator, truth in (
        (add_annotator(finished), TRUTH),
        (add_annotator(finished), same_truth([["gamma-net", "alpha-net"], ["beta-net"]])),
    ):
        turn = judging.start(study=finished, annotator=annotator).turn
        screen_id = turn.screen.public_id
        judging.pin_note(screen_id=screen_id, annotator=annotator, text="Is this text?")
        turn = judging.record_skip(
            screen_id=screen_id, annotator=annotator, reason="other", text="blurred"
        ).turn
        judging.undo(study=finished, annotator=annotator, screen_id=turn.screen.public_id)
        rank_everything(finished, annotator, truth)
    named(make_world().study, "In work")
    return finished


def named(study, name):
    study.name = name
    study.save()
    return study


if __name__ == "__main__":
    main()
