"""Files of results for eight images of four words, written in many ways."""

import random


def words():
    """Eight images of four words as left, top, right, bottom; no two images alike."""
    rng = random.Random(7)
    return {
        at: [
            (x, y, x + rng.randint(60, 90), y + rng.randint(20, 30))
            for x, y in ((rng.randint(100, 900), rng.randint(0, 500)) for _ in range(4))
        ]
        for at in range(1, 9)
    }


WORDS = words()


def box(x, y, r, b):
    """As a method finds a word: not to the pixel."""
    return x + 1, y, r + 1, b


def corners(x, y, r, b):
    return x + 1, y, r + 1, y, r + 1, b, x + 1, b


def files(
    write=box, name="res_img_{}.txt", end="", *, by=0, wrap=None, sep=",", number="g", line="{}"
):
    """The files of a result set, each word written by ``write``, their numbers moved by ``by``."""
    return {
        name.format((at + by - 1) % wrap + 1 if wrap else at + by): "".join(
            line.format(sep.join(format(value, number) for value in write(*of))) + f"{end}\n"
            for of in boxes
        )
        for at, boxes in WORDS.items()
    }
