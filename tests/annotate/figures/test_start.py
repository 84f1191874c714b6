"""The start of a web process, which must not wait for the drawing libraries."""

import os
import subprocess
import sys

_DRAWING = ("vl_convert", "fontTools", "pypdf")
_ALL_ADDRESSES = f"""
import sys, django
django.setup()
import config.urls
print([name for name in {_DRAWING} if name in sys.modules])
"""


def test_no_drawing_library_is_loaded_before_a_figure_is_drawn():
    """In a process of its own: the tests around have loaded them all."""
    done = subprocess.run(
        [sys.executable, "-c", _ALL_ADDRESSES],
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"
