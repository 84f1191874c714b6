"""Answers of independent libraries to the cases of ``cases.json``: a value, None for nan, or the refusal.

Places are bucket numbers, best first; None where an annotator left a method out.
"""

import json
import random
import warnings
from functools import partial
from itertools import combinations

import arenakit
import choix
import krippendorff
import numpy as np
import pandas as pd
import pingouin
import scikit_posthocs
from corankco.algorithms.exact.exactalgorithmpulp import ExactAlgorithmPulp
from corankco.dataset import Dataset
from corankco.scoringscheme import ScoringScheme
from scipy import stats

warnings.filterwarnings("ignore")
with open("cases.json", encoding="utf-8") as file:
    given = json.load(file)
RIDGE = given["ridge"]
# A pair tied in one of two rankings costs 1/2; a method that a ranking leaves out costs nothing.
KEMENY = ScoringScheme([[0, 1, 0.5, 0, 0, 0], [0.5, 0.5, 0, 0, 0, 0]])


def ranks(places):
    known = [place for place in places if place is not None]
    of_known = iter(stats.rankdata(known))
    return [np.nan if place is None else next(of_known) for place in places]


def alpha(annotators):
    """Units are the methods of each image, in the rows of the annotators."""
    rows = [[rank for places in of for rank in ranks(places)] for of in annotators]
    return krippendorff.alpha(rows, level_of_measurement="ordinal")


def long(table, *names):
    cells = [
        (f"{i:03}", f"{j:03}", value) for i, row in enumerate(table) for j, value in enumerate(row)
    ]
    return pd.DataFrame(cells, columns=names).astype({names[2]: float})


def concordance(rankings):
    table = long([ranks(places) for places in rankings], "s", "w", "v")
    return pingouin.friedman(table, dv="v", within="w", subject="s")["W"].iloc[0]


def intraclass(table):
    found = pingouin.intraclass_corr(
        long(table, "t", "r", "v"), targets="t", raters="r", ratings="v"
    )
    of = dict(zip(found["Type"], found["ICC"], strict=True))
    return [of["ICC(A,1)"], of["ICC(C,1)"]]


def tau(pair):
    return stats.kendalltau(*np.array(pair, dtype=float)).statistic


def friedman(table):
    return list(stats.friedmanchisquare(*np.array(table, dtype=float).T))


def nemenyi(table):
    """Pairs with p <= .05; None for one without p."""
    p_values = scikit_posthocs.posthoc_nemenyi_friedman(np.array(table, dtype=float)).values
    return [
        None if np.isnan(p_values[a, b]) else f"{a}-{b}"
        for a, b in combinations(range(len(p_values)), 2)
        if not p_values[a, b] > 0.05
    ]


def letters(p_values):
    shown = scikit_posthocs.compact_letter_display(np.array(p_values, dtype=float))
    return [of.replace(" ", "") for of in shown]


def kemeny(rankings):
    consensus = ExactAlgorithmPulp().compute_consensus_rankings(
        Dataset.from_raw_list([[set(bucket) for bucket in of] for of in rankings]), KEMENY, True
    )
    buckets = [
        sorted(str(of) for of in bucket) for bucket in consensus.consensus_rankings[0].buckets
    ]
    return [" > ".join(map(" = ".join, buckets)), float(consensus.kemeny_score)]


def arena_of(pairs):
    """Battles in which chance decides which method is named first."""
    draws = random.Random(1)
    battles = []
    for a, b, won, image, annotator in pairs:
        if draws.random() < 0.5:
            a, b, won = b, a, {0: 1, 1: 0, 2: 2}[won]
        battles.append(
            arenakit.Battle(
                model_a=f"{a}",
                model_b=f"{b}",
                winner=["a", "b", "tie"][won],
                item_id=image,
                voter_id=annotator,
            )
        )
    return arenakit.Arena(battles)


FIT = partial(arenakit.fit_bt, ties="drop", prior=RIDGE)


def bradley_terry(pairs):
    """Strengths of two libraries, neither of which knows of ties."""
    data = [(a, b) if won == 0 else (b, a) for a, b, won, *_ in pairs if won != 2]
    n = 1 + max(max(a, b) for a, b, *_ in pairs)
    strengths = choix.opt_pairwise(n, data, alpha=RIDGE / 2, tol=1e-12).tolist()
    return [strengths, FIT(arena_of(pairs).counts()).scores.tolist()]


def limits(pairs, cluster):
    found = arenakit.bootstrap(arena_of(pairs), FIT, cluster=cluster).rank_ci()
    return [f"{low:.0f}–{high:.0f}" for low, high in found]


def arena(pairs):
    """The first and the last rank of each method, resampled by annotator, and by image."""
    return [answer(partial(limits, cluster=of), pairs) for of in ("voter", "item")]


LIBRARIES = {
    "alpha": alpha,
    "concordance": concordance,
    "intraclass": intraclass,
    "tau": tau,
    "friedman": friedman,
    "nemenyi": nemenyi,
    "letters": letters,
    "kemeny": kemeny,
    "bradley-terry": bradley_terry,
    "arena": arena,
}


def without_nan(value):
    if isinstance(value, list):
        return [without_nan(of) for of in value]
    return None if isinstance(value, float) and np.isnan(value) else value


def answer(call, case):
    try:
        return without_nan(json.loads(json.dumps(call(case))))
    except ValueError as refusal:
        return f"refused: {refusal}"


answers = {
    name: {label: answer(LIBRARIES[name], case) for label, case in cases.items()}
    for name, cases in given["cases"].items()
}
with open("answers.json", "w", encoding="utf-8") as file:
    json.dump(answers, file)
