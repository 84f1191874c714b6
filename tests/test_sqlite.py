"""The site's connection to SQLite, made by Django's own backend with its options alone."""

import json
import os
import subprocess
import sys

_ASKED = """
import json
from django.db import connection
with connection.cursor() as cursor:
    values = [cursor.execute(f"PRAGMA {name}").fetchone()[0] for name in
        ("journal_mode", "synchronous", "busy_timeout", "foreign_keys")]
print(json.dumps([connection.settings_dict["ENGINE"], connection.transaction_mode, *values]))
"""


def test_a_commit_waits_for_the_disk_and_a_transaction_waits_for_its_turn_when_it_begins(tmp_path):
    site = {"DATA_DIR": str(tmp_path), "DATABASE_URL": "", "SECRET_KEY": "x" * 50}
    done = subprocess.run(
        [sys.executable, "-c", f"import django; django.setup(){_ASKED}"],
        env={**os.environ, **site, "DJANGO_SETTINGS_MODULE": "text_rankings.site.settings"},
        capture_output=True,
        text=True,
        check=True,
    )
    full, milliseconds, on = 2, 20_000, 1
    assert json.loads(done.stdout) == [
        *("django.db.backends.sqlite3", "IMMEDIATE"),
        *("wal", full, milliseconds, on),
    ]
