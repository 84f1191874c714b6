"""An empty database, and packed scripts and styles, for the servers that tests start."""

import os
import shutil
import subprocess
import sys
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from django.conf import settings

from .databases import fingerprint, one_at_a_time

_ROOT = Path(__file__).resolve().parents[2]
_KEPT = settings.DATA_DIR
# Packing the libraries' files for other pages takes a minute.
_MAKE = """
from django.core.management import call_command
others = ["drf_spectacular_sidecar", "rest_framework", "admin"]
call_command("collectstatic", interactive=False, ignore_patterns=others, verbosity=0)
call_command("migrate", verbosity=0)
call_command("createcachetable", verbosity=0)
"""


def set_up_server(folder: Path) -> dict[str, str]:
    """Give a server's folder an empty database; return the settings that name it and the packed files.

    Both are made once, until migrations, scripts or styles change.
    """
    made = _made()
    shutil.copyfile(made / "db.sqlite3", folder / "db.sqlite3")
    return {"DATABASE_URL": f"sqlite:///{folder}/db.sqlite3", "STATIC_ROOT": str(made / "static")}


def _made() -> Path:
    made = _KEPT / f"test-server-{_fingerprint()}"
    with one_at_a_time(_KEPT):
        if not made.exists():
            for other in _KEPT.glob("test-server-*"):
                shutil.rmtree(other)
            unfinished = _KEPT / "test-server-unfinished"
            environment = {
                "DJANGO_SETTINGS_MODULE": "text_rankings.site.settings",
                "DATA_DIR": str(unfinished),
                "DATABASE_URL": f"sqlite:///{unfinished}/db.sqlite3",
                "STATIC_ROOT": str(unfinished / "static"),
                "SECRET_KEY": "only-for-this-test-" + "x7Q" * 20,
                "DEBUG": "false",
            }
            unfinished.mkdir()
            done = subprocess.run(
                [sys.executable, "manage.py", "shell", "--command", _MAKE],
                cwd=_ROOT,
                env=os.environ | environment,
                capture_output=True,
                text=True,
            )
            assert done.returncode == 0, done.stderr
            unfinished.rename(made)
    return made


def _fingerprint() -> str:
    content = sha256(fingerprint().encode())
    for package in ("whitenoise", "tdewolff-minify"):
        content.update(version(package).encode())
    sources = [_ROOT / "text_rankings/site/static.py", *_ROOT.glob("static/**/*")]
    for path in sorted(filter(Path.is_file, sources)):
        content.update(path.relative_to(_ROOT).as_posix().encode() + path.read_bytes())
    return content.hexdigest()[:12]
