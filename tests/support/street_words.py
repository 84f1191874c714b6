"""Street scenes of two words an image, as zips of lines: input of the tests of loads."""

from pathlib import Path

from tests.support.archives import zip_file

# Six images of two words; as left, top, right, bottom.
WORDS = {at: [(30 + at, 40, 150 + at, 80), (210, 100 + at, 330, 140 + at)] for at in range(1, 7)}


def box(left, top, right, bottom):
    return f"{left},{top},{right},{bottom}"


def upright(left, top, right, bottom):
    return f"{left},{top},{right},{top},{right},{bottom},{left},{bottom}"


def zipped(folder: Path, name: str, prefix: str, write, end: str = "") -> Path:
    """Write a zip with a file for each image, in which ``write`` gives the line of each word."""
    entries = {
        f"{prefix}_img_{at}.txt": "".join(f"{write(*word)}{end}\r\n" for word in words)
        for at, words in WORDS.items()
    }
    return zip_file(folder / name, entries)
