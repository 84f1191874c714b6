"""Compare statistics with those of independent libraries; docs/validation/others.md has the table.

`make writers` runs it. The libraries are in an environment of their own below var/writers.
"""

import json
import math
import subprocess
from pathlib import Path

import numpy as np
import pytest

from rankings.agreement.annotators import kendall_w, krippendorff_alpha
from rankings.consensus.davidson import DEFAULT_RIDGE, davidson
from rankings.consensus.kemeny import kemeny
from rankings.detectors.method_strengths import people_of, strengths_of
from rankings.inference.components import components
from rankings.inference.significance import compact_letters, critical_difference, friedman_test
from rankings.orders.distances import kendall_tau_b
from tests.support.environments import python_of

from .statistics_cases import PACKAGES, RIDGE, cases, ranking

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "validation" / "others.md"
SCRIPT = Path(__file__).with_name("scripts") / "statistics_.py"
CASES = cases()
# Cases in which a library and ours need not agree; the page says what each gives.
EDGES = ("one", "equal", "limit")


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
    n, k = values.shape
    if k < 2:
        return [None, None]  # Components need two annotators.
    squares = [
        np.array([float(((values - around) ** 2).sum())])
        for around in (values.mean(), values.mean(axis=1, keepdims=True), values.mean(axis=0))
    ]
    parts = components(*squares, np.full(n, k), np.full(k, n))
    image, annotator, rest = (float(of[0]) for of in parts)
    return [image / whole if whole else None for whole in (image + annotator + rest, image + rest)]


def friedman(table):
    found = friedman_test(np.array(table), [f"p{at}" for at in range(len(table[0]))])
    return [found.statistic, found.p_value]


def letters(p_values):
    # The order is the one of the library: by the smallest member.
    return list(compact_letters(range(len(p_values)), p_values))


def fitted(pairs):
    """Return our strengths of pairs, each of which is a ranking of two."""
    rankings = [
        ((f"m{a}", f"m{b}"),) if won == 2 else tuple((f"m{of}",) for of in ((a, b), (b, a))[won])
        for a, b, won, *_ in pairs
    ]
    # Nothing but ties has no maximum without a ridge.
    only_ties = all(won == 2 for _, _, won, *_ in pairs)
    found = davidson(rankings, ridge=DEFAULT_RIDGE if only_ties else RIDGE).strengths
    return [found[name] for name in sorted(found)]


OURS = {
    "alpha": alpha,
    "concordance": lambda rankings: kendall_w([ranking(of) for of in rankings]),
    "intraclass": intraclass,
    "tau": lambda pair: kendall_tau_b(*map(ranking, pair)),
    "friedman": friedman,
}
CALLS = OURS | {"letters": letters, "bradley-terry": fitted}
TITLES = {
    "alpha": "Krippendorff's alpha, ordinal",
    "concordance": "Kendall's W",
    "intraclass": "Intraclass correlation, of our components of variance",
    "tau": "Kendall's tau-b",
    "friedman": "Friedman's test: statistic, p",
    "letters": "Letters",
    "kemeny": "Kemeny's consensus",
    "bradley-terry": "Bradley-Terry strengths",
    "arena": "Ranks that resampling leaves open",
}


def apart(a, b):
    """Return the largest difference; infinite if only one is undefined."""
    if isinstance(a, list):
        return max((apart(*pair) for pair in zip(a, b, strict=True)), default=0.0)
    if a is None or b is None:
        return 0.0 if a is b else math.inf
    return abs(a - b)


def ordinary(name):
    return [label for label in CASES[name] if label.split()[0] not in EDGES]


@pytest.mark.parametrize("name", OURS)
def test_a_statistic_is_that_of_an_independent_library(name, theirs):
    off = {
        label: (theirs[name][label], OURS[name](CASES[name][label]))
        for label in ordinary(name)
        # The library refuses gaps here.
        if (name, label) != ("intraclass", "gaps")
    }
    assert len(off) >= 2
    assert {label: pair for label, pair in off.items() if not apart(*pair) < 1e-12} == {}


def test_pairs_are_apart_by_the_critical_difference_as_nemenyis_p_value_says(theirs):
    for label in ("strict", "ties", "one", "equal"):
        table = np.array(CASES["nemenyi"][label])
        names = [f"p{at}" for at in range(table.shape[1])]
        found = critical_difference(table, names)
        ranks = dict(found.average_ranks)
        decided = [
            [abs(ranks[a] - ranks[b]) >= found.critical_difference for b in names] for a in names
        ]
        assert decided == (np.array(theirs["nemenyi"][label]) <= 0.05).tolist()
        assert any(map(any, decided)) == (label in ("strict", "ties"))


def test_letters_are_those_of_a_library(theirs):
    def shared(of):
        return [[bool({*a} & {*b}) for b in of] for a in of]

    given = CASES["letters"]["strict"]
    ours = letters(given)
    assert (
        shared(ours)
        == shared(theirs["letters"]["strict"])
        == [[p > 0.05 for p in row] for row in given]
    )
    # As few letters, and each method as often.
    assert len({*"".join(ours)}) == len({*"".join(theirs["letters"]["strict"])})
    assert [*map(len, ours)] == [*map(len, theirs["letters"]["strict"])]


def test_kemenys_distance_is_that_of_an_integer_programme(theirs):
    for label, rankings in CASES["kemeny"].items():
        found = kemeny([tuple(map(tuple, of)) for of in rankings])
        assert found.is_proven
        assert found.distance == theirs["kemeny"][label][1], label


def test_strengths_without_ties_are_those_of_two_libraries(theirs):
    ours = fitted(CASES["bradley-terry"]["strict"])
    assert apart(ours, theirs["bradley-terry"]["strict"]) < 1e-5
    assert apart(ours, theirs["arena-by-annotator"]["strict"][0]) < 1e-5


def test_places_that_are_certain_are_those_of_resampled_ranks(theirs):
    """Ours allow for annotators and images at once, the library's for one of them: its ranks are in ours."""
    rankings = {}
    for a, b, won, image, annotator in CASES["arena-by-annotator"]["strict"]:
        first, second = (a, b) if won == 0 else (b, a)
        # Every pair is an image of its own with the annotators of its image.
        rankings.setdefault(f"{image} {a}{b}", {})[annotator] = ((f"{first}",), (f"{second}",))
    ours = strengths_of(people_of(rankings), ridge=RIDGE)
    for cluster in ("annotator", "image"):
        _, limits, _ = theirs[f"arena-by-{cluster}"]["strict"]
        for at, (low, high) in enumerate(limits):
            above = [of for of in ours.leads if of.second == f"{at}" and of.low > 0]
            below = [of for of in ours.leads if of.first == f"{at}" and of.low > 0]
            assert [1 + len(above), len(limits) - len(below)] == [low, high]


def shown(answer):
    if isinstance(answer, str):
        return "an error" if "Error" in answer else answer
    if answer is None or answer == [None, None]:
        return "–"
    if isinstance(answer, list):
        return ", ".join(map(shown, answer))
    return f"{answer:.3g}"


def test_the_order_of_equals_is_certain_elsewhere_and_what_was_not_tested_is_apart(theirs):
    assert theirs["arena-by-annotator"]["equal"][1] == [[at, at] for at in (1, 2, 3, 4)]
    assert theirs["letters"]["gaps"] == ["a", "b"]
    assert letters(CASES["letters"]["gaps"]) == ["a", "a"]


def test_the_page_says_what_each_gives_at_the_edges(theirs):
    rows = [[TITLES[name], *(_edge(theirs, name, label) for label in EDGES)] for name in CALLS]
    contradicted = CASES["kemeny"]["limit"]
    ours = kemeny([tuple(map(tuple, of)) for of in contradicted]).ranking
    buckets = theirs["kemeny"]["limit"][0]
    rows.append([TITLES["kemeny"], "", "", f"{len(buckets)} places; {len(ours)} here"])
    tied = {f"{image}": {"ann": ranking([0] * 4)} for image in range(30)}
    leads = {of.lead for of in strengths_of(people_of(tied)).leads}
    limits = [shown(low) for low, _ in theirs["arena-by-annotator"]["equal"][1]]
    rows.append([TITLES["arena"], "", f"{shown(limits)}; leads of {shown([*leads])} here", ""])
    lines = PAGE.read_text("utf-8").splitlines()
    kept = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if "|" in line]
    assert {of[0]: of[3:] for of in kept if of[0] in TITLES.values()} == {
        title: cells for title, *cells in rows
    }


def _edge(theirs, name, label):
    if label not in CASES[name]:
        return ""
    return f"{shown(theirs[name][label])}; {shown(CALLS[name](CASES[name][label]))} here"
