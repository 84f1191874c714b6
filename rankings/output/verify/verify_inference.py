# mypy: ignore-errors
"""Stage 5 of verify.py: components of variance, tests, intervals, clusters and letters."""

import math
from fractions import Fraction
from functools import cache
from itertools import combinations
from string import ascii_letters

import numpy as np
from scipy.optimize import brentq
from scipy.special import digamma, polygamma
from scipy.stats import t as student
from verify_study import RANDOM, TIED

LEVEL = 0.95
# A component, a mean square or a difference of at most this share of what it is a part of is 0 by design.
ZERO = 1e-9
# From so many annotators on p-values are adjusted step by step.
STEPS_FROM = 5
# Losses are multiples of 50 divided by a number of pairs, which is not above this.
MOST_PAIRS = 10_000


class Compared:
    """The protocols of a study compared with each other, with silence and with chance."""

    def __init__(self, study, protocols, sentinels):
        self.study = study
        self.rivals = [TIED, RANDOM, *(name for name in protocols if name in sentinels)]
        self.tested = [name for name in protocols if name not in sentinels]
        orders = {name: tuple(study.order[i][name] for i in study.images) for name in self.tested}
        # Protocols that order all images alike are one, under the name of the first.
        self.first = {a: next(b for b in orders if orders[b] == orders[a]) for a in orders}
        if not study.images:
            self.first = {name: name for name in orders}
        self.different = list(dict.fromkeys(self.first.values()))
        groups = [[a for a in self.first if self.first[a] == b] for b in self.different]
        self.alike = [group for group in groups if len(group) > 1]
        names = [*dict.fromkeys([*protocols, TIED, RANDOM])]
        self.design, self.losses = design_of(study, names)
        self.means = dict.fromkeys(names)
        if study.images:
            n = self.design.scale * len(self.design.image)
            self.means = {name: own.sum() / n for name, own in self.losses.items()}
        pairs = [*combinations(self.different, 2)]
        self.pairs = self.compare(pairs, shaffer)
        self.p_of = {frozenset(pair): found[3] for pair, found in self.pairs.items()}

    def compare(self, pairs, adjust):
        """Return difference, limits, p, components and degrees of freedom of pairs."""
        if self.design.is_testable and pairs:
            return tests(self.losses, self.means, pairs, self.design, adjust)
        return {(a, b): (difference(self.means, a, b), *[None] * 7) for a, b in pairs}

    def against(self, rival):
        """Return the same of every protocol and one of the rivals."""
        return self.compare([(name, rival) for name in self.different], holm)

    def limits(self, name):
        """Return the limits of a protocol's mean loss."""
        if not self.design.is_testable:
            return None, None
        image, annotator, rest = self.design.components(self.losses[name])
        variance, degrees = self.design.variance([image, max(annotator, 0), rest])
        degrees = 2 / (1 / degrees + 1 / (1 / self.design.of_a - 1))
        half = student.ppf((1 + LEVEL) / 2, max(degrees, 1)) * math.sqrt(max(variance, 0))
        mean = self.means[name]
        return max(mean - half, 0), max(min(mean + half, 100), mean)

    def p(self, a, b):
        """Return the p-value of two protocols, None if they are one or have none."""
        return self.p_of.get(frozenset((self.first[a], self.first[b])))

    def clusters(self):
        """From the nearest on, a new one starts where a protocol differs from a member of the last."""
        found, members, at = {}, [], 1
        for name in self.nearest_first():
            p_values = [self.p(name, member) for member in members]
            if any(p is not None and p <= 1 - LEVEL for p in p_values):
                at, members = at + 1, []
            members.append(name)
            found[name] = at
        return found

    def letters(self):
        """Piepho (2004): a pair that differs splits each group that has both."""
        order = self.nearest_first()
        groups = {frozenset(order)} if order else set()
        for a, b in combinations(order, 2):
            p = self.p(a, b)
            if p is not None and p <= 1 - LEVEL:
                both = {group for group in groups if {a, b} <= group}
                split = groups - both | {group - {one} for group in both for one in (a, b)}
                groups = {group for group in split if not any(group < other for other in split)}
        if len(groups) > len(ascii_letters):
            return {}
        ordered = sorted(groups, key=lambda group: sorted(map(order.index, group)))
        named = [*zip(ascii_letters, ordered, strict=False)]
        return {name: "".join(one for one, group in named if name in group) for name in order}

    def nearest_first(self):
        """Return the protocols by their mean losses; none without a test."""
        return sorted(self.tested, key=self.means.get) if self.design.is_testable else []


def design_of(study, names):
    """Return the design and the losses as whole numbers, so that sums are exact, by protocol."""
    cells = study.cells
    d = np.array([study.losses(name) for name in names]).T.reshape(len(cells), len(names))
    d, scale = scaled(d)
    unit = {"image": [image for image, _ in cells], "annotator": [name for _, name in cells]}
    # Several groups take the place of annotators, and several scenes that of images.
    groups = [study.groups[name] for _, name in cells]
    scenes = [study.scenes[image] for image, _ in cells]
    by_group, by_scene = len({*groups}) > 1, len({*scenes}) > 1
    image = number(scenes if by_scene else unit["image"])
    annotator = number(groups if by_group else unit["annotator"])
    if by_group or by_scene:
        d, scale, image, annotator = together(d, scale, image, annotator)
    return Design(image, annotator, scale, by_group), dict(zip(names, d.T, strict=True))


def number(names):
    """Return the number of each name."""
    return np.unique(names, return_inverse=True)[1].astype(int)


def difference(means, a, b):
    """Return the difference of two means, None without means."""
    if means[a] is None:
        return None
    return without_rounding(means[a] - means[b], abs(means[a]) + abs(means[b]))


def without_rounding(value, whole):
    """Return the value, or 0 for one of at most ZERO of the whole."""
    return value if abs(value) > ZERO * whole else 0.0


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


class Design:
    """Which images and annotators the rankings are of."""

    def __init__(self, image, annotator, scale, by_group=False):
        self.scale, self.by_group = scale, by_group
        self.image, self.annotator, self.n = image, annotator, len(image)
        self.n_i, self.n_a = np.bincount(image), np.bincount(annotator)
        self.is_testable = min(len(self.n_i), len(self.n_a)) > 1
        if self.is_testable:
            self.of_i, self.of_a = ((of**2).sum() / self.n**2 for of in (self.n_i, self.n_a))
            # The images' component in the sum of squares between annotators, per degree of freedom.
            part = (1 / self.of_a - self.n * self.of_i) / (1 / self.of_a - 1)
            self.images_part = min(max(part, 0), 1) / self.n

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

    def mean_square(self, parts, of_images=0.0):
        """Mean square of annotators / n, with a part of the images' component."""
        image, annotator, rest = parts
        square, whole = annotator * self.of_a + rest / self.n, abs(image) + abs(annotator) + rest
        square += image * of_images
        return without_rounding(square, whole * self.of_a)

    def ratio(self, parts):
        """Mean square of annotators / n, relative to the other components, and these."""
        others, square = max(parts[0], 0) + parts[2], self.mean_square(parts, self.images_part)
        return (max(square, 0) / others if others > 0 else None), others

    def variance(self, parts, prior=None):
        """Variance of the mean and its degrees of freedom (Satterthwaite 1946, Smyth 2004)."""
        image, annotator, rest = parts
        n, of_rest = self.n, rest / self.n
        square, free = self.mean_square(parts), 1 / self.of_a - 1
        if prior is not None:
            common, degrees, _ = prior
            ratio, others = self.ratio(parts)
            if ratio is not None:
                shrunk = (degrees * common(others) + free * ratio) / (degrees + free)
                square = max(shrunk * others - max(image, 0) * self.images_part, of_rest)
            free += degrees
        of_images = max(image, 0) * self.of_i
        # Part of the images' component is estimated as well as the annotators' mean square.
        below = (square + max(image, 0) * self.images_part) ** 2 / free
        if of_images:
            interaction = max(n - len(self.n_i) - len(self.n_a) + 1, 1)
            apart = (of_images + of_rest) ** 2 / (1 / self.of_i - 1) + of_rest**2 / interaction
            below += (1 - self.images_part / self.of_i) ** 2 * apart
        mean = square + of_images
        whole = abs(image) + abs(annotator) + rest
        mean = without_rounding(mean, whole * (self.of_i + self.of_a))
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
    """Return difference, limits, p, components and degrees of freedom, for all pairs together."""
    names = {name for pair in pairs for name in pair}
    parts = [design.components(column[a] - column[b]) for a, b in pairs]
    ratios = [of for of in map(design.ratio, parts) if of[0] is not None]
    prior = prior_of(ratios, 1 / design.of_a - 1, len(names)) if len(names) > 2 else None
    found = {}
    for (a, b), own in zip(pairs, parts, strict=True):
        variance, degrees = design.variance(own, prior)
        if design.by_group:
            # The images' part must not add to the degrees of freedom of few groups.
            most = 1 / design.of_a - 1 + (prior[1] if prior is not None else 0)
            degrees = min(degrees, most)
        error = math.sqrt(max(variance, 0))
        found[a, b] = difference(means, a, b), error, min(max(degrees, 1), 1e9), own
    p_of = {}
    for pair, (mean, error, degrees, _) in found.items():
        if error > 0:
            p_of[pair] = 2 * student.sf(abs(mean) / error, degrees)
        elif mean == 0:
            p_of[pair] = 1.0
    if len(design.n_a) < STEPS_FROM:
        adjust = bonferroni
    adjusted, tested = adjust(p_of, len(pairs), len(names)), {}
    for pair, (mean, error, degrees, own) in found.items():
        half = student.isf((1 - LEVEL) / (2 * len(pairs)), degrees) * error
        limits = (mean - half, mean + half) if pair in p_of else (None, None)
        tested[pair] = (
            *(mean, *limits, adjusted.get(pair)),
            *(max(own[0], 0), max(own[1], 0), own[2], degrees if error > 0 else None),
        )
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


def prior_of(pairs, degrees, n_protocols):
    """Smyth (2004), section 6.2, with a trend (Sartor et al. 2006) from five protocols on.

    Of ratios and other components: a function of the others that gives the shared ratio, its degrees of
    freedom, and whether it is common. None if all ratios are 0.
    """
    ratios, others = (np.array(of) for of in zip(*pairs, strict=True)) if pairs else ((), ())
    if len(ratios) < 2 or not any(ratios):
        return None
    most, is_enough = degrees * (n_protocols - 2), n_protocols >= 5
    logs, x = np.log(np.maximum(ratios, 0.01 * np.mean(ratios))), np.log(others)
    below = ((x - x.mean()) ** 2).sum()
    slope = ((x - x.mean()) * logs).sum() / below if below and is_enough else 0.0
    slope = min(max(slope, -1.0), 0.0)
    logs = logs - slope * (x - x.mean())
    excess = np.var(logs, ddof=1) - polygamma(1, degrees / 2)

    def shared(level):
        return lambda own: level * math.exp(slope * (math.log(own) - x.mean()))

    if excess <= 0:
        level = np.mean(ratios * np.exp(-slope * (x - x.mean())))
        return shared(level), most, is_enough
    half = brentq(lambda x: polygamma(1, x) - excess, 1e-9, 1e12, xtol=1e-14, rtol=1e-14)

    def bias(of):
        return digamma(of / 2) - math.log(of / 2)

    level = math.exp(logs.mean() - bias(degrees) + bias(2 * half))
    return shared(level), min(2 * half, most), 2 * half >= most and is_enough


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


def pseudo_tested(cells, table, n=None):
    """Return difference, mean loss of two people, limits, adjusted p-value, degrees of freedom.

    A row for each protocol. Limits are of ``n`` together, of all if it is None.
    """
    if not cells:
        return None
    image, annotator = number([a for a, _ in cells]), number([b for _, b in cells])
    sizes, work = np.bincount(image), np.bincount(annotator)
    weights = 1 / (len(sizes) * sizes[image])
    apart, between = table[:, :-1], table[:, -1]
    of_two = float(weights @ between)
    means = [without_rounding(one - of_two, one + of_two) for one in (weights @ apart).tolist()]
    most = len(cells) ** 2 / (work**2).sum()
    if len(work) < 3 or most <= 2 or len(sizes) < 2:
        return [[one, of_two, None, None, None, None] for one in means]
    factor = 2 * (most - 1) / (most - 2)
    of_people = factor * between - (factor - 1) * (np.bincount(image, between) / sizes)[image]
    tested, p_of = [], {}
    for at, one in enumerate(means):
        design = Design(image, annotator, 1)
        x = apart[:, at] - of_people
        size = apart[:, at].mean() + abs(of_people).mean()
        x = np.where(abs(x - x.mean()) > ZERO * size, x - x.mean(), 0.0)
        parts = design.components(x)
        # Every image has the same weight.
        design.of_i = (np.bincount(image, weights) ** 2).sum()
        design.of_a = (np.bincount(annotator, weights) ** 2).sum()
        design.n = 1 / (weights**2).sum()
        variance = max(design.variance(parts)[0], 0)
        below = max(design.mean_square(parts), 0) ** 2 / (1 / design.of_a - 1)
        degrees = min(max(variance**2 / below if below > 0 else math.inf, 1), 1e9)
        tested.append((one, math.sqrt(variance), degrees))
        if variance > 0:
            p_of[at] = 2 * student.sf(abs(one) / math.sqrt(variance), degrees)
        elif one == 0:
            p_of[at] = 1.0
    adjusted, found = holm(p_of, len(means), 0), []
    for at, (one, error, degrees) in enumerate(tested):
        half = student.isf((1 - LEVEL) / (2 * (n or len(means))), degrees) * error
        limits = (one - half, one + half) if at in p_of else (None, None)
        found.append([one, of_two, *limits, adjusted.get(at), degrees if at in p_of else None])
    return found
