# mypy: ignore-errors
"""Recompute the tables of a paper from its CSV files, with numpy and scipy alone.

    python verify.py

Run it in the folder that holds csv/. It is part of no package and imports none: the formulas are
written again, from their sources (see methods.md), so that a mistake in the program and one here
would have to agree. It recomputes Best, Worst and Score with their intervals, how many of 100 pairs
each protocol orders differently from annotators, every difference with its simultaneous interval and
adjusted p-value, also from rankings that know nothing, and the clusters.
It does not recompute decisions of looks at a study that was still open: they used the answers given
by then, and the files do not say when an answer was given.
"""

import csv
import math
import sys
from collections import defaultdict
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
from scipy.optimize import brentq
from scipy.special import digamma, polygamma
from scipy.stats import t as student

TOLERANCE = 1e-9
LEVEL = 0.95
# A component, or a mean square, of at most this share of the whole variance is 0 by design.
ZERO = 1e-9
# From so many annotators on p-values are adjusted step by step.
STEPS_FROM = 10
# Losses are multiples of 50 divided by a number of pairs, which is not above this.
MOST_PAIRS = 10_000
# The columns of report.csv, from the distances d of shape (images, protocols), of protocol ``at``.
MEASURES = {
    "best": lambda d, at: (d[:, at] == d.min(axis=1)).sum(),
    "worst": lambda d, at: (d[:, at] == d.max(axis=1)).sum(),
    "score": lambda d, at: math.fsum(d[:, at]) / len(d),
    # Columns that the paper does not have follow here.
}
# Its other columns.
OTHERS = {"criterion", "kind", "protocol", "rankings_skipped", "signature"}


def main(folder="csv"):
    """Compare all tables, print what was compared, and return 1 unless all is recomputed and agrees."""
    failures = 0
    for criterion, study in studies(Path(folder)).items():
        for what, found, expected in compared(study):
            same = found is expected is None or (
                None not in (found, expected)
                and abs(found - expected) <= TOLERANCE * max(1, abs(expected))
            )
            failures += not same
            if not same:
                print(f"DIFFERS {criterion}, {what}: recomputed {found}, in the table {expected}")
            study["n"] += 1
        print(f"{criterion}: {study['n']} numbers compared")
        for column in dict.fromkeys(name for row in study.get("report", []) for name in row):
            if column not in OTHERS | {*MEASURES}:
                failures += 1
                print(
                    f"NOT RECOMPUTED {criterion}: no formula in MEASURES of verify.py is for the "
                    f"column {column!r} of report.csv"
                )
    print("Everything agrees." if not failures else f"{failures} differ or are not recomputed.")
    return int(failures > 0)


def studies(folder):
    """Return the tables of each criterion, as mappings."""
    found = defaultdict(lambda: {"n": 0, "consensus": defaultdict(dict), "people": []})
    for row in rows_of(folder / "verify-consensus.csv"):
        found[row["Criterion"]]["consensus"][row["Image"]][row["Protocol"]] = float(row["Distance"])
    for row in rows_of(folder / "verify-annotators.csv"):
        found[row["Criterion"]]["people"].append(row)
    for name in ("report", "intervals", "differences", "silence"):
        column = "criterion" if name == "report" else "Criterion"
        for row in rows_of(folder / f"{name}.csv"):
            if row[column] in found:
                found[row[column]].setdefault(name, []).append(row)
    return found


def rows_of(path):
    """Return the rows of a CSV file, none if it is absent."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8-sig", newline="") as lines:
        return list(csv.DictReader(lines))


def compared(study):
    """Yield (name, recomputed number, number in the table)."""
    table = dict(sorted(study["consensus"].items()))
    report = [row for row in study.get("report", []) if row["kind"] == "protocol"]
    names = [row["protocol"] for row in report]
    d = np.array([[of[name] for name in names] for of in table.values()])
    for at, row in enumerate(report):
        for measure, formula in MEASURES.items():
            what = f"{measure.capitalize()} of {names[at]}"
            yield what, float(formula(d, at)), number(row[measure])
    intervals = {row["Protocol"]: row for row in study.get("intervals", [])}
    limits = bootstrap(d) if len(d) >= 10 else [[None] * len(names)] * 2
    for at, name in enumerate(names):
        if name in intervals:
            yield f"low of {name}", limits[0][at], number(intervals[name]["Low"])
            yield f"high of {name}", limits[1][at], number(intervals[name]["High"])
    yield from of_people(study, intervals)


def number(text):
    """Return the number of a cell, None if it is empty."""
    return float(text) if text else None


def bootstrap(d, n_resamples=2000, seed=2018, block=1024, at_once=100):
    """Percentile intervals of 2,000 resamples of the images (Efron and Tibshirani 1993, 13.3).

    Only the order of the random numbers is the program's: images in blocks, 100 resamples at a time.
    """
    rng, n = np.random.default_rng(seed), len(d)
    sizes = np.array([min(block, n - start) for start in range(0, n, block)])
    drawn = rng.multinomial(n, sizes / n, size=n_resamples)
    sums = np.zeros((n_resamples, d.shape[1]))
    for at, size in enumerate(sizes):
        part = d[at * block : at * block + size]
        for first in range(0, n_resamples, at_once):
            counts = drawn[first : first + at_once, at]
            images = rng.integers(0, size, size=counts.sum(), dtype=np.int32)
            resample = np.repeat(np.arange(first, first + len(counts)), counts)
            np.add.at(sums, resample, part[images])
    return np.quantile(sums / n, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0).tolist()


def scaled(d):
    """Return losses as whole numbers, and the number they were multiplied by; 1 if it is too large."""
    parts = {Fraction(x).limit_denominator(MOST_PAIRS).denominator for x in np.unique(d).tolist()}
    scale = math.lcm(*parts) if parts else 1
    return (np.rint(d * scale), scale) if scale <= 10**6 else (d, 1)


def together(d, scale, image, annotator):
    """Return the means of each group's rankings of a scene, which count as one, and their scale."""
    row_of = {key: at for at, key in enumerate(sorted({*zip(image, annotator, strict=True)}))}
    of_cell = np.array([row_of[key] for key in zip(image, annotator, strict=True)])
    sizes = np.bincount(of_cell).tolist()
    common = math.lcm(*set(sizes))
    times = common if scale * common <= 10**6 else 1
    d = np.array([d[of_cell == at].sum(axis=0) * times / size for at, size in enumerate(sizes)])
    return d, scale * times, *np.array([*row_of]).T


def of_people(study, intervals):
    """Yield the mean losses, the differences of protocols, and the clusters."""
    rows = study["people"]
    differences, silence = study.get("differences", []), study.get("silence", [])
    cells = sorted({(row["Image"], int(row["Annotator"])) for row in rows})
    names = list(dict.fromkeys(row["Protocol"] for row in rows))
    place = {cell: at for at, cell in enumerate(cells)}
    d = np.zeros((len(cells), len(names)))
    for row in rows:
        at = place[row["Image"], int(row["Annotator"])]
        d[at, names.index(row["Protocol"])] = float(row["Distance"])
    # Whole numbers, so that sums are exact; ``scale`` times the losses.
    d, scale = scaled(d)
    image = np.unique([cell[0] for cell in cells], return_inverse=True)[1]
    annotator = np.unique([cell[1] for cell in cells], return_inverse=True)[1]
    # Several groups take the place of annotators, and several scenes that of images.
    group_of = {(row["Image"], int(row["Annotator"])): row.get("Group") for row in rows}
    scene_of = {(row["Image"], int(row["Annotator"])): row.get("Scene") for row in rows}
    by_group, by_scene = (len({*of.values()}) > 1 for of in (group_of, scene_of))
    if by_group:
        annotator = np.unique([int(group_of[cell]) for cell in cells], return_inverse=True)[1]
    if by_scene:
        image = np.unique([int(scene_of[cell]) for cell in cells], return_inverse=True)[1]
    if by_group or by_scene:
        d, scale, image, annotator = together(d, scale, image, annotator)
    if not len(cells) or image.max() < 1 or annotator.max() < 1:
        return
    design = Design(image, annotator, scale, by_group)
    means = dict(zip(names, d.sum(axis=0) / (scale * len(d)), strict=True))
    column = {name: d[:, at] for at, name in enumerate(names)}
    for name, row in intervals.items():
        if row.get("Pairs of 100"):
            image, annotator, rest = design.components(column[name])
            variance, degrees = design.variance([image, max(annotator, 0), rest])
            degrees = 2 / (1 / degrees + 1 / (1 / design.of_a - 1))
            half = student.ppf((1 + LEVEL) / 2, max(degrees, 1)) * math.sqrt(max(variance, 0))
            mean = means[name]
            yield f"mean of {name}", mean, number(row["Pairs of 100"])
            yield f"low of the mean of {name}", max(mean - half, 0), number(row["Low, pairs"])
            yield f"high of the mean of {name}", mean + half, number(row["High, pairs"])
    pairs = {(row["First"], row["Second"]): row for row in differences}
    found = tests(column, means, list(pairs), design, shaffer)
    yield from of_pairs(found, pairs)
    p_of = {frozenset(pair): p for pair, (_, _, _, p) in found.items()}
    placed = [name for name in intervals if intervals[name]["Cluster"]]
    tested = list(dict.fromkeys(sum(pairs, ()))) or placed
    found = clusters(tested, means, p_of)
    for name in placed:
        # A protocol that orders all images like another one is not in the pairs.
        same = name if name in found else next(n for n in tested if all(column[n] == column[name]))
        yield f"cluster of {name}", found[same], number(intervals[name]["Cluster"])
    for rival in dict.fromkeys(row["Compared with"] for row in silence):
        own = {(row["Protocol"], rival): row for row in silence if row["Compared with"] == rival}
        yield from of_pairs(tests(column, means, list(own), design, holm), own)
        for (name, _), row in own.items():
            yield f"mean of {name}, against {rival}", means[name], number(row["Pairs of 100"])
            yield f"mean of {rival}", means[rival], number(row["Of the other"])


def of_pairs(found, table):
    """Yield the numbers of pairs and those of their rows."""
    for pair, (mean, low, high, p) in found.items():
        row, what = table[pair], f"{pair[0]} - {pair[1]}"
        yield f"difference {what}", mean, number(row["Difference"])
        yield f"low {what}", low, number(row["Low"])
        yield f"high {what}", high, number(row["High"])
        yield f"p {what}", p, number(row["p, adjusted"])


class Design:
    """Which images and annotators the rankings are of."""

    def __init__(self, image, annotator, scale, by_group=False):
        self.scale, self.by_group = scale, by_group
        self.image, self.annotator, self.n = image, annotator, len(image)
        self.n_i, self.n_a = np.bincount(image), np.bincount(annotator)
        self.of_i, self.of_a = ((of**2).sum() / self.n**2 for of in (self.n_i, self.n_a))

    def components(self, x):
        """Components of variance by three equations (Gao and Owen 2017), solved as they stand."""
        n, x = self.n, x - np.rint(x.mean())
        total = n * (x @ x) - x.sum() ** 2
        in_image, in_annotator = n - len(self.n_i), n - len(self.n_a)
        # Unknown: the components of images, annotators and the rest.
        equations = {
            "image": (within(x, self.image), [0, in_image, in_image]),
            "annotator": (within(x, self.annotator), [in_annotator, 0, in_annotator]),
            "all": (total, [n**2 * (1 - self.of_i), n**2 * (1 - self.of_a), n**2 - n]),
        }
        unknown = [0, 1, 2]
        if not in_image:
            del equations["image"]
            unknown.remove(0)
        if not in_annotator:
            del equations["annotator"]
            unknown.remove(1)
        right = np.array([value for value, _ in equations.values()])
        left = np.array([[row[at] for at in unknown] for _, row in equations.values()])
        parts = np.zeros(3)
        parts[unknown] = np.linalg.solve(left, right)
        if len(unknown) == 3 and parts[2] < 0:
            # A rest below 0 counts as 0; the others are then those of the mean squares.
            parts = np.array([right[1] / in_annotator, right[0] / in_image, 0.0])
        whole = total / (n**2 - n)
        return np.where(np.abs(parts) > ZERO * whole, parts, 0.0) / self.scale**2

    def mean_square(self, parts):
        """Mean square of annotators / n."""
        image, annotator, rest = parts
        square, whole = annotator * self.of_a + rest / self.n, abs(image) + abs(annotator) + rest
        return square if abs(square) > ZERO * whole * self.of_a else 0.0

    def ratio(self, parts):
        """Mean square of annotators / n, relative to the other components, and these."""
        others, square = max(parts[0], 0) + parts[2], max(self.mean_square(parts), 0)
        return (square / others if others > 0 else None), others

    def variance(self, parts, prior=None):
        """Variance of the mean and its degrees of freedom (Satterthwaite 1946, Smyth 2004)."""
        image, annotator, rest = parts
        n, of_rest = self.n, rest / self.n
        square, free = self.mean_square(parts), 1 / self.of_a - 1
        if prior is not None:
            common, degrees, _ = prior
            ratio, others = self.ratio(parts)
            if ratio is not None:
                shrunk = (degrees * common + free * ratio) / (degrees + free)
                square = max(shrunk * others, of_rest)
            free += degrees
        of_images, below = max(image, 0) * self.of_i, square**2 / free
        if of_images:
            interaction = max(n - len(self.n_i) - len(self.n_a) + 1, 1)
            below += (of_images + of_rest) ** 2 / (1 / self.of_i - 1) + of_rest**2 / interaction
        mean = square + of_images
        whole = abs(image) + abs(annotator) + rest
        mean = mean if abs(mean) > ZERO * whole * (self.of_i + self.of_a) else 0.0
        degrees = mean**2 / below if below else math.inf
        is_limited = prior is not None and not prior[2]
        return mean, min(degrees, free) if is_limited else degrees


def within(x, group):
    """Return the sum of squares around the means of groups, those of one size together."""
    sums, sizes = np.bincount(group, x), np.bincount(group)
    found = 0.0
    for size in np.unique(sizes):
        rows = x[sizes[group] == size]
        found += (size * (rows @ rows) - (sums[sizes == size] ** 2).sum()) / size
    return found


def tests(column, means, pairs, design, adjust):
    """Return the difference of each pair with its limits and p, for all pairs together."""
    names = {name for pair in pairs for name in pair}
    parts = [design.components(column[a] - column[b]) for a, b in pairs]
    ratios = [r for r, _ in map(design.ratio, parts) if r is not None]
    prior = prior_of(ratios, 1 / design.of_a - 1, len(names)) if len(names) > 2 else None
    found = {}
    for (a, b), own in zip(pairs, parts, strict=True):
        variance, degrees = design.variance(own, prior)
        if design.by_group:
            # The images' part must not add to the degrees of freedom of few groups.
            most = 1 / design.of_a - 1 + (prior[1] if prior is not None else 0)
            degrees = min(degrees, most)
        error, mean = math.sqrt(max(variance, 0)), means[a] - means[b]
        if abs(mean) <= 1e-12 * (abs(means[a]) + abs(means[b])):
            mean = 0.0
        found[a, b] = mean, error, min(max(degrees, 1), 1e9)
    p_of = {}
    for pair, (mean, error, degrees) in found.items():
        if error > 0:
            p_of[pair] = 2 * student.sf(abs(mean) / error, degrees)
        elif mean == 0:
            p_of[pair] = 1.0
    if len(design.n_a) < STEPS_FROM:
        adjust = bonferroni
    adjusted, tested = adjust(p_of, len(pairs), len(names)), {}
    for pair, (mean, error, degrees) in found.items():
        half = student.isf((1 - LEVEL) / (2 * len(pairs)), degrees) * error
        is_known = pair in p_of
        limits = (mean - half, mean + half) if is_known else (None, None)
        tested[pair] = mean, *limits, adjusted.get(pair)
    return tested


def bonferroni(p_of, n_pairs, n_protocols):
    """Bonferroni: times the number of pairs."""
    return {pair: min(1.0, n_pairs * p) for pair, p in p_of.items()}


def holm(p_of, n_pairs, n_protocols):
    """Holm (1979): the smallest of n p-values times n, the next times n - 1, never falling."""
    factors = range(len(p_of), 0, -1)
    return stepped(p_of, factors)


def shaffer(p_of, n_pairs, n_protocols):
    """Shaffer (1986), S1: times the most pairs that can be equal at once, of those that are left."""
    possible = equal_pairs(n_protocols)
    left = range(n_pairs, n_pairs - len(p_of), -1)
    return stepped(p_of, [max(n for n in possible if n <= most) for most in left])


@cache
def equal_pairs(n):
    """Count the equal pairs of n protocols in each way to divide them into groups of equals."""
    if n <= 1:
        return {0}
    return {m * (m - 1) // 2 + rest for m in range(1, n + 1) for rest in equal_pairs(n - m)}


def stepped(p_of, factors):
    """Multiply p-values, from the smallest on; none becomes smaller than one before, or above 1."""
    found, highest = {}, 0.0
    for pair, factor in zip(sorted(p_of, key=p_of.get), factors, strict=True):
        highest = max(highest, min(1.0, factor * p_of[pair]))
        found[pair] = highest
    return found


def prior_of(ratios, degrees, n_protocols):
    """Smyth (2004), section 6.2: the shared ratio, its degrees of freedom, and whether it is common.

    None if all are 0.
    """
    if len(ratios) < 2 or not any(ratios):
        return None
    most = degrees * (n_protocols - 2)
    least = 0.01 * np.mean(ratios)
    logs = np.log(np.maximum(ratios, least))
    excess = np.var(logs, ddof=1) - polygamma(1, degrees / 2)
    if excess <= 0:
        return float(np.mean(ratios)), most, n_protocols >= 5
    half = brentq(lambda x: polygamma(1, x) - excess, 1e-9, 1e12, xtol=1e-14, rtol=1e-14)

    def bias(of):
        return digamma(of / 2) - math.log(of / 2)

    common = math.exp(logs.mean() - bias(degrees) + bias(2 * half))
    return float(common), min(2 * half, most), 2 * half >= most and n_protocols >= 5


def clusters(names, means, p_of):
    """From the nearest on, a new cluster starts where a protocol differs from a member of the last."""
    found, members, at = {}, [], 1
    for name in sorted(names, key=means.get):
        p_values = [p_of.get(frozenset((name, member))) for member in members]
        if any(p is not None and p <= 1 - LEVEL for p in p_values):
            at, members = at + 1, []
        members.append(name)
        found[name] = float(at)
    return found


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
