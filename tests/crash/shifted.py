"""A site whose clock goes wrong: its web server (`tests.crash.shifted:application`) and its commands.

The file named by CLOCK_FILE has the seconds by which the time of day is wrong; timeouts use another
clock. (With libfaketime Python's sleep() fails on Debian 12.)
"""

import os
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path

from django.utils import timezone

_now, _time = timezone.now, time.time


def _shift() -> float:
    return float(Path(os.environ["CLOCK_FILE"]).read_text() or 0)


def _wrong_now() -> datetime:
    return _now() + timedelta(seconds=_shift())


timezone.now = _wrong_now
time.time = lambda: _time() + _shift()
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "text_rankings.site.settings")

if __name__ == "__main__":
    from django.core.management import execute_from_command_line

    execute_from_command_line(["manage.py", *sys.argv[1:]])
else:
    from text_rankings.site.wsgi import application

    __all__ = ["application"]
