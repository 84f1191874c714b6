"""Compare statistics with those of independent libraries; docs/validation/others.md has the table.

`make writers` runs it. The libraries are in an environment of their own below var/writers.
"""

import json
import math
import subprocess
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from rankings.agreement.annotators import kendall_w, krippendorff_alpha
from rankings.consensus.davidson import DEFAULT_RIDGE, davidson
from rankings.consensus.kemeny import kemeny
from rankings.detectors.method_strengths import people_of, strengths_of
from rankings.errors import RankingError
from rankings.inference.components import components
from rankings.inference.significance import compact_letters, critical_difference, friedman_test
from rankings.orders.buckets import to_text
from rankings.orders.distances import kendall_tau_b
from tests.support.environments import python_of

from .statistics_cases import PACKAGES, RIDGE, cases, ranking

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "validation" / "others.md"
SCRIPT = Path(__file__).with_name("scripts") / "statistics_.py"
CASES = cases()
WITHIN = {"bradley-terry": 1e-5}
# The columns of the page, the last of which few statistics have.
CONDITIONS = ("ties", "gaps", "one", "equal", "limit")


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("statistics")
    (folder / "cases.json").write_text(json.dumps({"ridge": RIDGE, "cases": CASES}))
    python = python_of(ROOT / "var" / "writers" / "statistics", PACKAGES)
    subprocess.run([python, SCRIPT], cwd=folder, check=True)
    return json.loads((folder / "answers.json").read_text())


def alpha(of_annotators):
    return krippendorff_alpha(
        {
            f"{image}": {
                f"{annotator}": ranking(of_annotators[annotator][image])
                for annotator in range(len(of_annotators))
                if set(of_annotators[annotator][image]) != {None}
            }
            for image in range(len(of_annotators[0]))
        }
    )


def intraclass(table):
    """Return the absolute and consistent coefficients that our components of variance give."""
    values = np.array(table, dtype=float)
    if values.shape[1] < 2:
        return [None, None]  # Components need two annotators.
    squares = [
        np.array([float(np.nansum((values - around) ** 2))])
        for around in (
            np.nanmean(values),
            np.nanmean(values, axis=1, keepdims=True),
            np.nanmean(values, axis=0),
        )
    ]
    known = ~np.isnan(values)
    parts = components(*squares, known.sum(axis=1), known.sum(axis=0))
    image, annotator, rest = (float(of[0]) for of in parts)
    return [image / whole if whole else None for whole in (image + annotator + rest, image + rest)]


def friedman(table):
    found = friedman_test(np.array(table, dtype=float), [f"p{at}" for at in range(len(table[0]))])
    return [found.statistic, found.p_value]


def nemenyi(table):
    """Return the pairs that are apart by the critical difference."""
    names = [f"{at}" for at in range(len(table[0]))]
    found = critical_difference(np.array(table, dtype=float), names)
    ranks = sorted(found.average_ranks)
    return [
        f"{a}-{b}"
        for (a, of_a), (b, of_b) in combinations(ranks, 2)
        if abs(of_a - of_b) >= found.critical_difference
    ]


def letters(p_values):
    # The order is the one of the library: by the smallest member.
    return list(compact_letters(range(len(p_values)), p_values))


def consensus(rankings):
    found = kemeny([tuple(map(tuple, of)) for of in rankings])
    assert found.is_proven
    return [to_text(found.ranking), found.distance]


def _pair(a, b, won):
    """Return the ranking of two methods, of which the first, the second or none won."""
    return ((f"{a}", f"{b}"),) if won == 2 else tuple((f"{of}",) for of in ((a, b), (b, a))[won])


def _ridge(pairs):
    # Nothing but ties has no maximum without a ridge.
    return DEFAULT_RIDGE if all(won == 2 for _, _, won, *_ in pairs) else RIDGE


def fitted(pairs):
    """Return our strengths of pairs, each of which is a ranking of two, once for each library."""
    found = davidson([_pair(*of[:3]) for of in pairs], ridge=_ridge(pairs)).strengths
    return [[found[name] for name in sorted(found)]] * 2


def places(pairs):
    """Return the places that the leads leave open to each method, for each of the two clusters.

    Ours allow for annotators and images at once, the library's for one of them.
    """
    rankings = {}
    for a, b, won, image, annotator in pairs:
        # Every pair is an image of its own with the annotators of its image.
        rankings.setdefault(f"{image} {a}{b}", {})[annotator] = _pair(a, b, won)
    leads = strengths_of(people_of(rankings), ridge=_ridge(pairs)).leads
    names = sorted({name for of in leads for name in (of.first, of.second)})
    certain = [(of.first, of.second) for of in leads if of.low > 0]
    limits = [
        (1 + sum(b == name for _, b in certain), len(names) - sum(a == name for a, _ in certain))
        for name in names
    ]
    return [[f"{low}–{high}" for low, high in limits]] * 2


OURS = {
    "alpha": ("Krippendorff's alpha, ordinal", alpha),
    "concordance": ("Kendall's W", lambda rankings: kendall_w([ranking(of) for of in rankings])),
    "intraclass": ("Intraclass correlation", intraclass),
    "tau": ("Kendall's tau-b", lambda pair: kendall_tau_b(*map(ranking, pair))),
    "friedman": ("Friedman's test: statistic, p", friedman),
    "nemenyi": ("Nemenyi's test: pairs apart", nemenyi),
    "letters": ("Letters", letters),
    "kemeny": ("Kemeny's consensus, distance", consensus),
    "bradley-terry": ("Bradley-Terry strengths", fitted),
    "arena": ("Places that resampling leaves open", places),
}


def apart(a, b):
    """Return the largest difference; infinite if only one is undefined or words differ."""
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return max((apart(*pair) for pair in zip(a, b, strict=True)), default=0.0)
    if isinstance(a, float | int) and isinstance(b, float | int):
        return abs(a - b)
    return 0.0 if a == b else math.inf


def shown(answer):
    if isinstance(answer, list):
        each = [*map(shown, answer)]
        if not each or set(each) == {"–"}:
            return "–" if each else "none"
        # Equal answers of libraries or clusters are shown once.
        return " / ".join(dict.fromkeys(each)) if isinstance(answer[-1], list) else ", ".join(each)
    if isinstance(answer, str):
        return answer.partition(":")[0]
    return "–" if answer is None else f"{answer:.3g}"


def alike(name, label, answer):
    """Return what both sides must agree on."""
    if name == "kemeny" and label != "limit":
        return answer[1]  # There may be several orders of the smallest distance.
    if name == "letters":
        # Groups may have letters in another order; no protocol may have more of them.
        shared = [[float(bool({*a} & {*b})) for b in answer] for a in answer]
        return [*shared, [*map(len, answer)], len({*"".join(answer)})]
    return answer


def compared(theirs, name, label):
    """Return ``=`` if a library and ours give the same, else what each gives."""
    try:
        ours = OURS[name][1](CASES[name][label])
    except RankingError as refusal:
        ours = f"refused: {refusal}"
    theirs = theirs[name][label]
    both = shown(theirs), shown(ours)
    if both[0] == both[1] in ("–", "refused"):
        return both[0]
    off = (
        math.inf if "refused" in both else apart(*(alike(name, label, of) for of in (theirs, ours)))
    )
    return "=" if off < WITHIN.get(name, 1e-12) else f"{both[0]}; {both[1]} here"


def cell(theirs, name, condition):
    """Return what all cases of a condition show."""
    labels = [label for label in CASES[name] if label.split()[0] == condition]
    return " · ".join(dict.fromkeys(compared(theirs, name, label) for label in labels))


@pytest.mark.parametrize("name", OURS)
def test_the_page_says_what_a_library_and_ours_give(name, theirs):
    title, _ = OURS[name]
    lines = PAGE.read_text("utf-8").splitlines()
    rows = [[each.strip() for each in line.split("|")[1:-1]] for line in lines if "|" in line]
    [kept] = [of[2:] for of in rows if of[0] == title]
    assert cell(theirs, name, "strict") == "="
    assert [cell(theirs, name, condition) for condition in CONDITIONS] == kept
    assert all(kept[:-1])
