# mypy: ignore-errors
"""Programs that judge: verdicts from their answers, and how far they are from people."""

import json
import math
from collections import Counter, defaultdict
from statistics import mean, stdev

import numpy as np
from scipy.stats import t as student
from verify_inference import pseudo_tested
from verify_study import rows_of

SIGNS = {"left": 1, "equal": 0, "right": -1, "": 0}
EPSILONS = (0.2, 0.15, 0.1)
NEAR = 1e-9


def program_rows(around, context):
    """Compare programs with people by one criterion."""
    judges, answers = context.read("judges"), context.read("judge_answers")
    if judges is None or answers is None:
        return
    criterion, asked = around.study.criterion, defaultdict(set)
    for row in answers[1]:
        asked[row["image"]] |= {row["left"], row["right"]}
    people, group, scene = people_of(context.folder, criterion, asked)
    given = [row for row in judges[1] if criterion in json.loads(row["criteria"])]
    for judge in given:
        own = [row for row in answers[1] if row["judge"] == judge["judge"]]
        pairs = pairs_of(judge, own, criterion)
        yield (judge["judge"],), compared(judge, pairs, people, group, scene, len(given))


def people_of(folder, criterion, asked):
    """Return the places of methods by image and annotator, where all asked methods were ranked."""
    people, group, scene = defaultdict(dict), {}, {}
    for row in rows_of(folder / "csv" / "rankings.csv")[1]:
        buckets = json.loads(row["buckets"])
        places = {method: at for at, bucket in enumerate(buckets) for method in bucket}
        group[row["annotator"]], scene[row["image"]] = row["group"], row["scene"]
        if row["criterion"] == criterion and asked.get(row["image"], {None}) <= places.keys():
            people[row["image"]][row["annotator"]] = places
    return people, group, scene


class Pair:
    """A pair of methods, the verdict of each order as seen by the first, and what is missing."""

    def __init__(self, one, other, judge, rows, criterion):
        self.one, self.other, self.probability = one, other, float(rows[0]["probability"])
        self.signs, self.is_missing = [], False
        for left in (one, other):
            own = [row for row in rows if row["left"] == left]
            if judge["orders"] == "one" and not own:
                continue
            answered = {
                row["repeat"]: row[criterion] for row in own if row["outcome"] == "answered"
            }
            self.is_missing |= not any(answered.values())
            said = [SIGNS[answered.get(str(at + 1), "")] for at in range(int(judge["repeats"]))]
            counts = Counter(said).most_common(2)
            is_drawn = len(counts) > 1 and counts[0][1] == counts[1][1]
            sign = 0 if is_drawn else counts[0][0]
            self.signs.append(sign if left == one else -sign)
        self.verdict = self.signs[0] if len({*self.signs}) == 1 else 0


def pairs_of(judge, rows, criterion):
    """Return the pairs of each image."""
    of_pair = defaultdict(list)
    for row in rows:
        of_pair[row["image"], *sorted((row["left"], row["right"]))].append(row)
    found = defaultdict(list)
    for (image, one, other), own in sorted(of_pair.items()):
        found[image].append(Pair(one, other, judge, own, criterion))
    return found


def compared(judge, pairs, people, group, scene, n_judges):
    """Return the numbers of a program by one criterion."""
    every = [pair for of in pairs.values() for pair in of]
    both = [pair.signs for pair in every if len(pair.signs) == 2]
    against = [signs for signs in both if signs[0] * signs[1] < 0]
    images = [image for image in sorted(pairs) if len(people[image]) > 1]
    by_group = len({group[name] for image in images for name in people[image]}) > 1
    by_scene = len({scene[image] for image in images}) > 1
    cells, near = defaultdict(list), defaultdict(list)
    for image in images:
        add(
            *(cells, near, pairs[image], people[image], scene[image] if by_scene else image, image),
            {name: group[name] if by_group else name for name in people[image]},
        )
    numbers = [None] * 9
    if cells:
        # The people of a group are one on an image, then the images of a scene are one.
        of_scene = defaultdict(list)
        for (place, _, who), rows in cells.items():
            of_scene[place, who].append(np.mean(rows, axis=0))
        table = np.array([np.mean(rows, axis=0) for rows in of_scene.values()])
        tested = [pseudo_tested([*of_scene], table[:, [at, 3]], n_judges) for at in range(3)]
        [[difference, of_two, low, high, _, degrees]], [best], [worst] = tested
        numbers = [difference, low, high, degrees, of_two, best[0], worst[0]]
    return {
        **dict(zip(("Difference", "From", "To", "Degrees"), numbers, strict=False)),
        **dict(zip(("Two people", "At best", "At worst"), numbers[4:], strict=False)),
        "Missing": sum(pair.is_missing for pair in every),
        "Contradictions": len(against) / len(both) if both else None,
        "First place": mean(signs[0] > 0 for signs in against) if against else None,
        "Margin": float(judge["margin"]),
        "rho": mean(mean(ours for ours, _ in of) for of in near.values()) if near else None,
        **{f"omega ({epsilon})": omega([*near.values()], epsilon) for epsilon in EPSILONS},
    }


def add(cells, near, pairs, people, place, image, unit):
    """Add the losses on an image: of the judge to each annotator, and of the annotators to others."""
    names = sorted(people)
    if len({*unit.values()}) < 2:
        return
    weights = np.array([1 / pair.probability for pair in pairs])
    weights = 100 * weights / weights.sum()
    said = {
        name: np.array([np.sign(of[pair.other] - of[pair.one]) for pair in pairs])
        for name, of in ((name, people[name]) for name in names)
    }
    verdicts = np.array([pair.verdict for pair in pairs], dtype=float)
    missing = np.array([pair.is_missing for pair in pairs])
    each = [mean_loss([*said.values()], sign) for sign in (-1, 0, 1)]
    best = np.where(missing, np.argmin(each, axis=0) - 1, verdicts)
    worst = np.where(missing, np.argmax(each, axis=0) - 1, verdicts)

    def loss(x, y):
        return float((np.abs(x - y) / 2 * weights).sum())

    for name in names:
        others = [other for other in names if unit[other] != unit[name]]
        row = [loss(x, said[name]) for x in (verdicts, best, worst)]
        row.append(mean(loss(said[name], said[other]) for other in others))
        cells[place, image, unit[name]].append(row)
        rest = [other for other in names if other != name]
        ours = mean(loss(verdicts, said[other]) for other in rest)
        theirs = mean(loss(said[name], said[other]) for other in rest)
        near[name].append((ours <= theirs + NEAR, theirs <= ours + NEAR))


def mean_loss(rankings, sign):
    """Return the mean distance of a verdict to the annotators', for each pair."""
    return np.mean([np.abs(one - sign) for one in rankings], axis=0)


def omega(of_people, epsilon):
    """Calderon, Reichart and Dror (2025), with the correction of Benjamini and Yekutieli (2001)."""
    p_values = []
    for pairs in of_people:
        lost = [theirs - ours for ours, theirs in pairs]
        if len(lost) < 2:
            return None
        error = stdev(lost) / math.sqrt(len(lost))
        certain = float(mean(lost) >= epsilon)
        p_values.append(
            student.cdf((mean(lost) - epsilon) / error, len(lost) - 1) if error > 0 else certain
        )
    size = len(p_values) * sum(1 / k for k in range(1, len(p_values) + 1))
    passed = [k for k, p in enumerate(sorted(p_values), 1) if p <= k * 0.05 / size]
    return max(passed, default=0) / len(p_values) if p_values else None
