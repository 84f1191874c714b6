# mypy: ignore-errors
"""Stages 1 to 3 of verify.py: rankings and scores, consensus, orders of the protocols, distances."""

import csv
import json
import math
from collections import defaultdict
from decimal import ROUND_HALF_EVEN, Decimal
from functools import cache
from itertools import combinations

import numpy as np

TIED, RANDOM = "all tied", "random order"
# A spreadsheet would evaluate texts that start with these; files have an apostrophe before them.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
# Above, the search for the nearest ranking takes too long here.
MOST_METHODS = 12


class MissingColumn(Exception):
    """A CSV file has no such column."""


class Row(dict):
    """The cells of a CSV file's row by column."""

    def __init__(self, name, cells):
        super().__init__(cells)
        self.name = name

    def __missing__(self, column):
        raise MissingColumn(f"csv/{self.name}, {column}")


def rows_of(path):
    """Return the columns and the rows of a CSV file."""
    with path.open(encoding="utf-8-sig", newline="") as lines:
        reader = csv.DictReader(lines)
        rows = [Row(path.name, {name: plain(text) for name, text in row.items()}) for row in reader]
    return reader.fieldnames or [], rows


def plain(text):
    """Return a text without the apostrophe that keeps spreadsheets from evaluating it."""
    return text[1:] if text and text[0] == "'" and text[1:].startswith(FORMULA) else text


def studies(folder, settings, criteria):
    """Return a Study for each criterion."""
    rankings = defaultdict(lambda: defaultdict(dict))
    groups, scenes, scores = {}, {}, defaultdict(lambda: defaultdict(dict))
    for row in rows_of(folder / "rankings.csv")[1]:
        buckets = json.loads(row["buckets"])
        rankings[row["criterion"]][row["image"]][row["annotator"]] = {
            method: place for place, bucket in enumerate(buckets) for method in bucket
        }
        groups[row["annotator"]], scenes[row["image"]] = row["group"], row["scene"]
    for row in rows_of(folder / "scores.csv")[1]:
        both = tuple(float(row[name]) if row[name] else None for name in ("recall", "precision"))
        scores[row["image"]][row["protocol"]][row["method"]] = both
    return {
        criterion: Study(criterion, rankings[criterion], scores, settings, groups, scenes)
        for criterion in criteria
    }


class Study:
    """The steps from a criterion's rankings and scores; rankings are tuples of the methods' places."""

    def __init__(self, criterion, rankings, scores, settings, groups, scenes):
        self.criterion, self.settings, self.given = criterion, settings, scores
        self.groups, self.scenes = groups, scenes
        self.asked = [*rankings]
        self.ranked = [(image, name) for image, of in rankings.items() for name in of]
        self.protocols = sorted({name for of in scores.values() for name in of})
        self.apart = kemeny if settings["distance"] == "kemeny" else edit
        self.people, self.values, self.methods = {}, {}, {}
        for image in sorted(rankings):
            of_image = rankings[image]
            methods = sorted(set().union(*of_image.values()))
            values = {
                name: [self.value(scores[image][name].get(method)) for method in methods]
                for name in self.protocols
            }
            if (
                len(of_image) >= settings["min_annotators"]
                and all(len(own) == len(methods) for own in of_image.values())
                and all(known(value) for of in values.values() for value in of)
            ):
                self.methods[image], self.values[image] = methods, values
                self.people[image] = {
                    name: tuple(of_image[name][method] for method in methods)
                    for name in sorted(of_image)
                }
        self.images = list(self.people)
        teams = {image: [*of.values()] for image, of in self.people.items()}
        self.goal = consensus(teams, settings["consensus"])
        self.order = self.orders(settings["decimals"])
        self.d = self.distances(self.goal, self.order)

    def value(self, score):
        """Return recall, precision or their F-score, by the criterion."""
        recall, precision = score or (None, None)
        if self.criterion in ("recall", "precision"):
            return recall if self.criterion == "recall" else precision
        if None in (recall, precision):
            return None
        weight = self.settings["beta"] * self.settings["beta"]
        below = weight * precision + recall
        return (1 + weight) * precision * recall / below if below else 0.0

    def orders(self, decimals):
        """Return the ranking of each image by each protocol, scores rounded to so many decimals."""
        return {
            image: {name: by_values(tuple(own), decimals) for name, own in of.items()}
            for image, of in self.values.items()
        }

    def distances(self, goal, order, apart=None):
        """Return the distances of shape (images, protocols) to the rankings of ``goal``."""
        apart = apart or self.apart
        d = [[apart(order[image][name], goal[image]) for name in self.protocols] for image in goal]
        return np.array(d, dtype=float).reshape(len(goal), len(self.protocols))

    def baseline(self, name):
        """Return the distances of all tied, or the expected ones of a random order, by image."""
        if name == TIED:
            return [self.apart((0,) * len(goal), goal) for goal in self.goal.values()]
        return [self.by_chance(goal) for goal in self.goal.values()]

    def by_chance(self, goal):
        """Return the mean distance of all strict orders to a ranking."""
        if self.apart is kemeny:
            return len(goal) * (len(goal) - 1) / 4
        return np.count_nonzero(signs(goal)) / 2 + (len(goal) - len({*goal})) / 2

    def losses(self, name):
        """Return of 100 pairs how many are ordered differently, for every ranking of a person."""
        found = []
        for image, of_image in self.people.items():
            for own in of_image.values():
                pairs = max(len(own) * (len(own) - 1) // 2, 1)
                if name == RANDOM:
                    found.append(50.0 if len(own) > 1 else 0.0)
                else:
                    order = (0,) * len(own) if name == TIED else self.order[image][name]
                    found.append(100 * kemeny(own, order) / pairs)
        return np.array(found)

    @property
    def cells(self):
        """The image and the annotator of every ranking of a person."""
        return [(image, name) for image, of in self.people.items() for name in of]

    def buckets(self, image):
        """Return the consensus of an image as lists of methods, best first."""
        goal, methods = self.goal[image], self.methods[image]
        return [
            [method for method, place in zip(methods, goal, strict=True) if place == one]
            for one in sorted({*goal})
        ]


def known(value):
    """Whether a score is a finite number."""
    return value is not None and math.isfinite(value)


@cache
def by_values(values, decimals):
    """Return the places of methods: higher scores first, equal rounded ones (half to even) tied."""
    exact = [Decimal(repr(value)) for value in values]
    if decimals is not None:
        exact = [one.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_EVEN) for one in exact]
    return dense([-one for one in exact])


def dense(numbers):
    """Return the places of numbers, the smallest first."""
    place = {number: at for at, number in enumerate(sorted({*numbers}))}
    return tuple(place[number] for number in numbers)


@cache
def signs(places):
    """Return for each pair of methods -1 if the first is before the second, 0 if tied, else 1."""
    order = np.sign(np.subtract.outer(places, places))
    return order[np.triu_indices(len(places), 1)]


@cache
def kemeny(a, b):
    """Kemeny and Snell (1962): 1 for a pair in opposite order, 1/2 for one tied in one of the two."""
    return float(np.abs(signs(a) - signs(b)).sum() / 2)


@cache
def edit(a, b):
    """Count swaps (1), splits and merges (1/2 each); what was merged is not split again."""
    swaps = np.count_nonzero(signs(a) * signs(b) == -1)
    cells = len({*zip(a, b, strict=True)})
    return float(swaps + (cells - len({*a})) / 2 + (cells - len({*b})) / 2)


@cache
def edit_by_groups(a, b):
    """Count swaps as if an element passed a tied group for one: all before the splits, or after.

    The least number of passes of two groups is the size of the largest matching of their parts that
    change their order (König 1931).
    """
    cells = {*zip(a, b, strict=True)}
    found = []
    for of in (cells, {(q, p) for p, q in cells}):
        groups = {}
        for group, place in sorted(of):
            groups.setdefault(group, []).append(place)
        pairs = combinations([groups[group] for group in sorted(groups)], 2)
        found.append(sum(matched(first, second) for first, second in pairs))
    return float(min(found) + (len(cells) - len({*a})) / 2 + (len(cells) - len({*b})) / 2)


def matched(first, second):
    """Match as many of the first as possible with a smaller one of the second, both in order."""
    n = 0
    for one in first:
        n += n < len(second) and second[n] < one
    return n


def ranks(places):
    """Return twice the rank of each method; the methods of a bucket share the mean of its places."""
    return [2 * sum(q < p for q in places) + places.count(p) + 1 for p in places]


def consensus(teams, rule):
    """Return the consensus of the rankings of each image; None where it is not searched for here."""
    if rule == "kemeny":
        return nearest(teams)
    return {image: dense(np.sum([*map(ranks, of)], axis=0).tolist()) for image, of in teams.items()}


def nearest(teams):
    """Return the rankings with the least sum of Kemeny distances, by dynamic programming.

    Of several the one with the most tied pairs, then the one that places the first method highest,
    then the second, and so on. ``best[s]`` is the least cost of placing the methods of the set s (a
    number in binary) before all others, by image; cost, ties and places are the digits of one number.
    """
    found = dict.fromkeys(teams)
    sizes = {len(of[0]) for of in teams.values()}
    for n in (size for size in sizes if size <= MOST_METHODS):
        images = [image for image, of in teams.items() if len(of[0]) == n]
        most = max(len(teams[image]) for image in images)
        n_pairs, whole = n * (n - 1) // 2, 2**n - 1
        if 2 * most * n_pairs * (n_pairs + 1) * n**n >= 2**62:
            continue
        for at in range(0, len(images), 64):
            some = images[at : at + 64]
            found.update(
                zip(some, of_size(n, whole, [teams[image] for image in some]), strict=True)
            )
    return found


def of_size(n, whole, teams):
    """Return the nearest rankings of n methods, for :func:`nearest`."""
    # (methods, methods, images): twice the cost of placing the row's method before the column's, or
    # of tying both.
    before, tied = np.zeros((2, n, n, len(teams)))
    for at, of in enumerate(teams):
        for places in of:
            order = np.sign(np.subtract.outer(places, places))
            before[..., at] += 1 + order
            tied[..., at] += np.abs(order)
    member = (np.arange(whole + 1)[:, np.newaxis] >> np.arange(n)) & 1
    # (sets, images): the cost of a bucket; (sets,): its tied pairs, and the digit of its places.
    bucket = np.einsum("si,sj,ijg->sg", member, member, tied, optimize=True) / 2
    size = member.sum(axis=1)
    digit = member @ np.array([n ** (n - 1 - at) for at in range(n)])
    best = np.full((whole + 1, len(teams)), 2**62)
    last = np.zeros((whole + 1, len(teams)), dtype=int)
    best[0] = 0
    for done in range(whole):
        rest = whole ^ done
        new = np.array([one for one in subsets(rest) if one])
        across = member[new] @ np.einsum("i,ijg->jg", member[done], before)
        cost = np.rint(bucket[new] + across).astype(np.int64)
        ties = size[new] * (size[new] - 1) // 2
        digits = (-ties * n**n + size[done] * digit[new])[:, np.newaxis]
        value = best[done] + cost * (n * (n - 1) // 2 + 1) * n**n + digits
        better = value < best[done | new]
        best[done | new] = np.where(better, value, best[done | new])
        last[done | new] = np.where(better, done, last[done | new])
    for at in range(len(teams)):
        places, done = [0] * n, whole
        while done:
            for one in range(n):
                if (done ^ last[done, at]) >> one & 1:
                    places[one] = size[last[done, at]]
            done = last[done, at]
        yield dense(places)


@cache
def subsets(of):
    """Return all sets of the members of one."""
    found, one = [0], of
    while one:
        found.append(one)
        one = (one - 1) & of
    return found
