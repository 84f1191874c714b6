# mypy: ignore-errors
"""Stages 4 and 5 of verify.py: the rows of every table, each with the columns that are its key."""

import json
import math
import re
from itertools import combinations

import numpy as np
from scipy.special import chdtrc
from scipy.stats import studentized_range
from scipy.stats import t as student
from verify_inference import LEVEL, Compared, bootstrap, pseudo_tested
from verify_study import RANDOM, TIED, consensus, dense, edit, edit_by_groups, kemeny, ranks, signs

FEW = 10
PERSON = "a person"


class Around:
    """A study with all that its tables share; ``rows`` are protocols in the order of the Score."""

    def __init__(self, study, sentinels):
        self.study, self.d = study, study.d
        scores = dict(zip(study.protocols, self.d.sum(axis=0), strict=True))
        self.names = sorted(scores, key=lambda name: (scores[name], name))
        self.column = {name: self.d[:, study.protocols.index(name)] for name in self.names}
        self.compared = Compared(study, self.names, sentinels)
        self.person = [
            (image, name, own, others)
            for image, of in study.people.items()
            for name, own, others in zip(of, of.values(), self.others(image), strict=True)
        ]

    def others(self, image):
        """Return the consensus without each annotator; None of one alone."""
        of = [*self.study.people[image].values()]
        teams = {at: of[:at] + of[at + 1 :] for at in range(len(of)) if len(of) > 1}
        found = consensus(teams, self.study.settings["consensus"])
        return [found.get(at) for at in range(len(of))]


def mean(values):
    """Return the mean of the values that are not None; None of none."""
    values = [value for value in values if value is not None]
    return math.fsum(values) / len(values) if values else None


def by_image(person, apart):
    """Return of each image the mean of what ``apart`` gives for a person and the others."""
    found = {}
    for image, _, own, others in person:
        if others is not None:
            found.setdefault(image, []).append(apart(own, others))
    return [sum(values) / len(values) for values in found.values()]


def consensus_rows(around, _):
    """Stage 1: the consensus of each image."""
    study = around.study
    for image in study.images:
        buckets = json.dumps(study.buckets(image), ensure_ascii=False)
        yield (image,), {"Buckets": buckets}


def distance_rows(around, _):
    """Stage 3: the distance of each protocol on each image."""
    for at, image in enumerate(around.study.images):
        for name in around.names:
            yield (image, name), {"Distance": around.column[name][at]}


def report_rows(around, context):
    """Stage 4: Best, Worst and Score."""
    d = np.array([around.column[name] for name in around.names]).T
    for at, name in enumerate(around.names):
        numbers = {key: of(d, at) if len(d) else None for key, of in context.measures.items()}
        counts = {} if len(d) else {"best": 0, "worst": 0}
        same = {"same_as": same_as(around, name)} if context.has_alike else {}
        yield ("protocol", name), numbers | counts | same
    for name in (TIED, RANDOM):
        none = dict.fromkeys([*context.measures, *(["same_as"] if context.has_alike else [])])
        own = np.array([around.study.baseline(name)]).T
        yield (
            ("baseline", name),
            none
            | {
                key: context.measures[key](own, 0) if len(own) else None
                for key in context.measures
                if key not in ("best", "worst")
            },
        )


def same_as(around, name):
    """Return the first of the protocols that order all images like this one, None without another."""
    return next((group[0] for group in around.compared.alike if name in group), None)


def component_rows(around, _):
    """Stage 5: components of variance and degrees of freedom."""
    for pair, found in around.compared.pairs.items():
        yield pair, dict(zip(("Images", "Annotators", "Rest", "Degrees"), found[4:], strict=True))


def interval_rows(around, context):
    """Stage 5: mean losses and Scores with intervals, clusters and letters."""
    compared, n = around.compared, len(around.d)
    limits = [[None] * len(around.names)] * 2
    if n >= FEW:
        columns = np.array([around.column[name] for name in around.names]).T
        limits = bootstrap(columns, context.resamples[around.study.criterion])
    clusters, letters = compared.clusters(), compared.letters()
    for name, low, high in zip(around.names, *limits, strict=True):
        of_people = compared.limits(name)
        yield (
            (name,),
            {
                "Pairs of 100": compared.means[name],
                "Low, pairs": of_people[0],
                "High, pairs": of_people[1],
                "Score": mean(around.column[name]),
                "Low": low,
                "High": high,
                "Cluster": clusters.get(name),
                "Letters": letters.get(name),
            },
        )


PAIR = ("Difference", "Low", "High", "p, adjusted")


def difference_rows(around, _):
    """Stage 5: the differences of every two protocols."""
    for pair, found in around.compared.pairs.items():
        yield pair, dict(zip(PAIR, found[:4], strict=True))


def silence_rows(around, _):
    """Stage 5: every protocol against rankings that know nothing."""
    means = around.compared.means
    for rival in around.compared.rivals:
        for (name, _), found in around.compared.against(rival).items():
            own = {"Pairs of 100": means[name], "Of the other": means[rival]}
            yield (name, rival), own | dict(zip(PAIR, found[:4], strict=True))


def person_rows(around, _):
    """Compare protocols with a person by pseudo-values of a jackknife over people (see methods.md)."""
    study, names = around.study, around.compared.different
    group, scene = study.groups, study.scenes
    by_group = len({group[name] for _, name in study.cells}) > 1
    by_scene = len({scene[image] for image in study.images}) > 1
    unit = {name: group[name] if by_group else name for _, name in study.cells}
    losses, at, cells = {name: study.losses(name) for name in names}, 0, {}
    for image, of in study.people.items():
        pairs = max(len(study.methods[image]) * (len(study.methods[image]) - 1) // 2, 1)
        others = {a: [b for b in of if unit[b] != unit[a]] for a in of}
        for a, own in of.items():
            if all(others.values()):
                between = mean(100 * kemeny(own, of[b]) / pairs for b in others[a])
                row = [*(losses[name][at] for name in names), between]
                cells.setdefault((image, unit[a]), []).append(row)
            at += 1
    merged = {}
    for (image, who), rows in cells.items():
        key = (scene[image] if by_scene else image, who)
        merged.setdefault(key, []).append(np.mean(rows, axis=0))
    columns = ("Difference", "Two people", "Low", "High", "p, adjusted")
    found = pseudo_tested([*merged], np.array([np.mean(of, axis=0) for of in merged.values()]))
    for name, numbers in zip(names, found or [[None] * 6] * len(names), strict=True):
        yield (name,), dict(zip(columns, numbers[:5], strict=True))


def order_of(names, sums):
    """Return protocols by their sums of distances, as text."""
    places = dense(sums)
    buckets = [
        sorted(name for name, own in zip(names, places, strict=True) if own == place)
        for place in sorted({*places})
    ]
    return " > ".join(" = ".join(bucket) for bucket in buckets), places


def tau_b(a, b):
    """Return Kendall's tau-b of two rankings, None if one ties all."""
    a, b = signs(a), signs(b)
    ordered = np.count_nonzero(a) * np.count_nonzero(b)
    return float((a * b).sum() / math.sqrt(ordered)) if ordered else None


def natural(name):
    """Order img_2 before img_10."""
    parts = re.findall(r"[0-9]+|[^0-9]+", name)
    return [(one[0].isdecimal(), int(one[-18:]) if one[0].isdecimal() else 0, one) for one in parts]


def changed(around):
    """Yield the name of a change of the report and the distances with it; None: not recomputed."""
    study, settings = around.study, around.study.settings
    order, distance = study.order, settings["distance"]
    yield "as reported", study.d
    other, name = (kemeny, "kemeny") if distance == "edit" else (edit, "edit")
    yield f"{name} distance", study.distances(study.goal, order, other)
    if distance == "edit":
        own = study.distances(study.goal, order, edit_by_groups)
        yield "one swap past a tied group", own
    rule = "kemeny" if settings["consensus"] == "mean-rank" else "mean-rank"
    goal = consensus({image: [*of.values()] for image, of in study.people.items()}, rule)
    yield f"consensus: {rule}", None if None in goal.values() else study.distances(goal, order)
    for decimals in (2, 3, 4, None):
        if decimals != settings["decimals"]:
            yield rounding(decimals), study.distances(study.goal, study.orders(decimals))
    for left_out in sorted({name for _, name in study.cells}):
        goal = dict(study.goal)
        for image, name, _, others in around.person:
            if name == left_out:
                goal[image] = others
                if others is None:
                    del goal[image]
        yield f"without {left_out}", study.distances(goal, order)
    half = sorted(study.images, key=natural)[: (len(study.images) + 1) // 2]
    yield (
        "first half of the images",
        study.distances({image: study.goal[image] for image in half}, order),
    )


def rounding(decimals):
    """Name a number of decimals."""
    return "not rounded" if decimals is None else f"{decimals} decimals"


def sensitivity_rows(around, context):
    """Order the protocols with one thing changed at a time."""
    names, base = around.study.protocols, None
    for change, d in changed(around):
        if d is None:
            context.skip(
                f"csv/sensitivity.csv, {change}: no search for the nearest of so many methods"
            )
            yield (change,), None
            continue
        text, places = order_of(names, d.sum(axis=0).tolist()) if len(d) else (None, None)
        base = base or places
        known = bool(names and places)
        yield (
            (change,),
            {
                "Order": text if names else None,
                "tau-b": tau_b(places, base) if known else None,
                "Same order": str(places == base).lower() if known else None,
                "Images": len(d),
            },
        )


def agreement_rows(around, context):
    """Measure how far annotators agree."""
    study = around.study
    teams = [[*of.values()] for of in study.people.values()]
    ws = [kendall_w(of) for of in teams]
    defined = [w for w in ws if w is not None]
    found = {"Kendall's W, mean over images (1: the same order)": mean(ws)}
    chance = [1 / len(of) for of, w in zip(teams, ws, strict=True) if w is not None]
    if defined:
        found["Kendall's W of orders at random, for as many annotators"] = mean(chance)
    if len(defined) >= FEW:
        half = student.ppf((1 + LEVEL) / 2, len(defined) - 1) * np.std(defined, ddof=1)
        low, high = (mean(ws) + side * half / math.sqrt(len(defined)) for side in (-1, 1))
        found["Kendall's W: low end of its 95 % interval over images"] = max(low, 0)
        found["Kendall's W: high end of its 95 % interval over images"] = min(high, 1)
    if len(defined) < len(ws):
        found["Images without Kendall's W"] = len(ws) - len(defined)
    found["Krippendorff's alpha, ordinal (1: the same order)"] = alpha(teams)
    for name, apart in (("Edit", edit), ("Kemeny", kemeny)):
        pairs = [[apart(a, b) for a, b in combinations(of, 2)] for of in teams]
        found[f"{name} distance between two annotators, mean"] = mean(map(mean, pairs))
    person = by_image(around.person, study.apart)
    found["Human baseline: an annotator to the others' consensus, mean"] = mean(person)
    if len(person) > 1:
        [[low], [high]] = bootstrap(np.array([person]).T, context.resamples[study.criterion])
        found["Human baseline: low end of its 95 % interval over images"] = low
        found["Human baseline: high end of its 95 % interval over images"] = high
    d = np.array([around.column[name] for name in around.names]).T
    found["Friedman test of all protocols, annotators fixed: p"] = friedman(d)
    found["Critical difference of average ranks, annotators fixed (Nemenyi, 5 %)"] = nemenyi(d)
    for name, value in found.items():
        yield (name,), {"Value": value}


def kendall_w(team):
    """Kendall (1945), with the correction for ties; None if undefined."""
    m, n = len(team), len(team[0])
    sums = np.sum([*map(ranks, team)], axis=0) / 2
    ties = sum(places.count(p) ** 2 - 1 for places in team for p in places)
    most = m * m * (n**3 - n) - m * ties
    return 12 * ((sums - sums.mean()) ** 2).sum() / most if m > 1 and most else None


def alpha(teams):
    """Krippendorff (2019), chapter 12: ordinal, a unit is a method on an image, its values the ranks."""
    units = [unit for of in teams if len(of) > 1 for unit in zip(*map(ranks, of), strict=True)]
    domain = sorted({value for unit in units for value in unit})
    if len(domain) < 2:
        return None
    at, together = {value: at for at, value in enumerate(domain)}, np.zeros((len(domain),) * 2)
    for unit in units:
        for a, first in enumerate(unit):
            for b, second in enumerate(unit):
                if a != b:
                    together[at[first], at[second]] += 1 / (len(unit) - 1)
    totals = together.sum(axis=0)
    by_chance = (np.outer(totals, totals) - np.diag(totals)) / (totals.sum() - 1)
    middle = np.cumsum(totals) - totals / 2
    apart = np.subtract.outer(middle, middle) ** 2
    return 1 - (together * apart).sum() / (by_chance * apart).sum()


def friedman(d):
    """Friedman's test with the correction for ties."""
    n, k = d.shape
    if n < 2 or k < 3 or (d == d[:, :1]).all():
        return None
    places = np.array([ranks(dense(row.tolist())) for row in d]) / 2
    ties = sum((row == x).sum() ** 2 - 1 for row in d for x in row)
    statistic = 12 * (places.sum(axis=0) ** 2).sum() / (k * n * (k + 1)) - 3 * n * (k + 1)
    return chdtrc(k - 1, statistic / (1 - ties / (k * (k * k - 1) * n)))


def nemenyi(d):
    """Nemenyi's critical difference at 5 %."""
    n, k = d.shape
    if not n or k < 2:
        return None
    q = studentized_range.ppf(LEVEL, k, math.inf) / math.sqrt(2)
    return q * math.sqrt(k * (k + 1) / (6 * n))


def share_tied(places):
    """Return the share of tied pairs, None of one method."""
    return float((signs(places) == 0).mean()) if len(places) > 1 else None


def ties_rows(around, _):
    """Share of tied pairs of annotators, consensus and protocols."""
    study = around.study
    for name in sorted({name for _, name in study.cells}):
        shares = [share_tied(of[name]) for of in study.people.values() if name in of]
        yield ("annotator", name), {"Tied pairs": mean(shares)}
    yield ("consensus", ""), {"Tied pairs": mean(map(share_tied, study.goal.values()))}
    for name in around.names:
        shares = [share_tied(of[name]) for of in study.order.values()]
        yield ("protocol", name), {"Tied pairs": mean(shares)}


def annotator_rows(around, _):
    """Distance of each annotator to the consensus of the others."""
    study, found = around.study, {}
    for _image, name, own, others in around.person:
        apart = found.setdefault(name, [])
        if others is not None:
            apart.append(study.apart(own, others))
    for name, apart in found.items():
        yield (name,), {"Images": len(apart), "Distance": mean(apart)}


def measure_rows(around, _):
    """Other measures of protocols and baselines."""
    study = around.study
    goals = study.goal
    for name in around.names:
        orders = {image: of[name] for image, of in study.order.items()}
        taus = [tau_b(orders[image], goal) for image, goal in goals.items()]
        margins = [against(study.values[image][name], goal) for image, goal in goals.items()]
        yield (
            (name,),
            {
                "Kemeny distance": mean(
                    kemeny(orders[image], goal) for image, goal in goals.items()
                ),
                "tau-b": mean(taus),
                "Images without tau-b": taus.count(None),
                "Pairs agreed": mean(agreed(orders[image], goal) for image, goal in goals.items()),
                "Discordance": mean(margins),
            },
        )
    tied = [share_tied(goal) for goal in goals.values()]
    baselines = {
        TIED: (mean(kemeny((0,) * len(g), g) for g in goals.values()), mean(tied)),
        RANDOM: (
            mean(len(g) * (len(g) - 1) / 4 for g in goals.values()),
            mean(None if share is None else (1 - share) / 2 for share in tied),
        ),
        PERSON: (mean(by_image(around.person, kemeny)), agreed_of_persons(around)),
    }
    none = dict.fromkeys(("tau-b", "Images without tau-b", "Discordance"))
    for name, (distance, share) in baselines.items():
        yield (name,), none | {"Kemeny distance": distance, "Pairs agreed": share}


def agreed(a, b):
    """Return the share of pairs on which two rankings say the same, None of one method."""
    return float((signs(a) == signs(b)).mean()) if len(a) > 1 else None


def agreed_of_persons(around):
    """Return the share of pairs on which a person and the others agree."""
    some = [one for one in around.person if len(one[2]) > 1]
    return mean(by_image(some, agreed))


def against(values, goal):
    """Return the share of the differences of values that go against the consensus."""
    leads = np.subtract.outer(values, values)
    places = np.sign(np.subtract.outer(goal, goal))
    whole = np.abs(leads).sum()
    return float(np.abs(leads)[places * leads > 0].sum() / whole) if whole else 0.0


def rounding_rows(around, _):
    """Score by rounding."""
    study, found = around.study, {}
    for decimals in (2, 3, 4, None):
        means = study.distances(study.goal, study.orders(decimals)).mean(axis=0).tolist()
        found[rounding(decimals)] = dict(zip(study.protocols, means, strict=True))
    for name in study.protocols:
        yield (name,), {column: of[name] for column, of in found.items()}


def criteria_rows(studies):
    """Yield the distances between the consensus rankings of every two criteria."""
    for first, second in combinations(studies, 2):
        a, b = studies[first].study, studies[second].study
        both = [image for image in a.images if image in b.goal and len(a.methods[image]) > 1]
        apart = [a.apart(a.goal[image], b.goal[image]) for image in both]
        sizes = [len(a.methods[image]) for image in both]
        shares = [d / (n * (n - 1) / 2) for d, n in zip(apart, sizes, strict=True)]
        numbers = {"Distance": mean(apart), "Share": mean(shares), "Images": len(both)}
        yield (first, second), numbers
