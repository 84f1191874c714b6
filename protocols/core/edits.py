"""Edits that turn one text into another."""


def edit_distance(a: str, b: str) -> int:
    """Return the smallest number of code points to insert, delete or replace (Levenshtein)."""
    # The distances of the prefix of a so far from every prefix of b.
    above = list(range(len(b) + 1))
    for n, letter in enumerate(a, 1):
        row = [n]
        for m, other in enumerate(b, 1):
            row.append(min(above[m] + 1, row[-1] + 1, above[m - 1] + (letter != other)))
        above = row
    return above[-1]
