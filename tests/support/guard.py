"""Runs a Python program without network, scipy, Django and other working copies: any use raises."""

import os
import runpy
import sys

ABSENT = {"scipy", "django"}


def refuse(event, arguments):
    place = str(arguments[0]) if arguments else ""
    is_elsewhere = "/protocols/" in place and not place.startswith(os.getcwd())
    if (
        event.startswith("socket.")
        or (event == "import" and place.partition(".")[0] in ABSENT)
        or (event == "open" and is_elsewhere)
    ):
        raise RuntimeError(f"blocked: {event} {place}")


del sys.argv[0]
sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
sys.addaudithook(refuse)
runpy.run_path(sys.argv[0], run_name="__main__")
