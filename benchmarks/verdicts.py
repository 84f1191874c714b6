"""Measure how often the report's tests err, what they find, and what their intervals contain.

    python -m benchmarks.verdicts [--studies 400] [--only WORD] [--write]

Each row is a kind of simulated study (``rankings.design.simulation``): errors are the share of
studies that call equally near protocols different, coverage the share of 95 % intervals of a mean loss
that contain it. *Found* is the share of true differences that are found, *earlier* the same by the test
of earlier reports: each pair by its own variance, with a floor, and Bonferroni's rule. Targets are in the
row; a row that misses one by more than chance is marked.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks import pages
from rankings.design.simulation import Outcome, Simulated, outcome, simulate
from rankings.inference.moderation import Prior
from rankings.inference.moments import moments_of, raw_components
from rankings.inference.significance import ALPHA


@dataclass(frozen=True)
class Row:
    """A kind of study with its targets; None: not a target."""

    name: str
    study: Simulated
    most_errors: float | None = 0.055
    least_found: float | None = None


def _rows() -> list[Row]:
    rows = [
        Row(f"{k} protocols, {a} annotators, taste {taste:g}", Simulated(a, 60, k, taste=taste))
        for k in (7, 15)
        for a in (3, 5, 12)
        for taste in (0.0, 0.3, 0.6)
    ]
    rows += [
        Row(f"near copies, {a} annotators", Simulated(a, 60, taste=0.6, copies=True))
        for a in (3, 5, 12)
    ]
    rows += [
        Row("heavy-tailed workload", Simulated(per_image=3, workload=1.5, taste=0.6)),
        Row("one person has 95 % of the work", Simulated(4, 200, per_image=1, workload=5)),
        Row("one ranking an image", Simulated(images=200, per_image=1, taste=0.6)),
        Row("drop-outs", Simulated(drop_outs=0.3, taste=0.6)),
        Row("a fifth of answers at random", Simulated(flips=0.2)),
        Row("the same mistakes by all", Simulated(flips=0.2, flips_by="pair")),
        Row("Plackett and Luce", Simulated(model="plackett-luce")),
    ]
    # Errors of two and three protocols: nothing, or little, is shared between pairs.
    rows += [
        Row(
            f"{k} protocols, {a} annotators",
            Simulated(a, 60, k, taste=0.6),
            0.10 if a < 5 else 0.08,
        )
        for k in (2, 3)
        for a in (3, 5, 12)
    ]
    for k in (2, 7):
        for declared in (True, False):
            said = "declared" if declared else "not declared"
            most = 0.08 if declared else None
            rows += [
                Row(f"{k} protocols, {n} sites, {said}", Simulated(
                    12, 100, k, groups=n, declared=declared), most)
                for n in (2, 4)
            ]  # fmt: skip
            rows.append(
                Row(f"{k} protocols, scenes of ten, {said}", Simulated(
                    12, 100, k, scenes=10, declared=declared), most)
            )  # fmt: skip
    # Differences of 5, 6 and 3 in 100 pairs.
    for a, i, k, added, found in (
        *((3, 100, 7, 0.46, 0.58), (5, 100, 7, 0.56, 0.66)),
        *((12, 200, 7, 0.27, 0.48), (12, 200, 15, 0.28, 0.47)),
    ):
        study = Simulated(a, i, k, farther=k // 2, added=added, taste=0.1)
        rows.append(Row(f"{a} annotators, {i} images, {k} protocols", study, 0.055, found))
    return rows


def earlier(study: Simulated, n_studies: int, seed: int) -> float:
    """Return the share of true differences that the test of earlier reports finds."""
    from scipy.special import stdtr

    rng, found = np.random.default_rng(seed), 0.0
    farther = np.arange(study.protocols) >= study.protocols - study.farther
    first, second = np.triu_indices(study.protocols, 1)
    differs = farther[first] != farther[second]
    for _ in range(n_studies):
        measured = simulate(study, rng).distances
        parts, n_i, n_a = raw_components(measured)
        n = len(measured.images)
        weights = float((n_i**2).sum()) / n**2, float((n_a**2).sum()) / n**2
        free = max(n - len(n_i) - len(n_a) + 1, 1)
        own = moments_of(parts, weights, n, free, Prior())
        means = measured.distances.mean(axis=0)
        # The floor of earlier reports: annotators differ at least as usual, over all pairs.
        image, annotator, rest = parts
        others = np.maximum(image, 0) + rest
        usual = max(annotator.sum(), 0) / others.sum() * others
        of_mean = own.of_mean + np.maximum(usual - annotator, 0) * weights[1]
        t = np.abs(means[first] - means[second]) / np.sqrt(of_mean)
        p = 2 * stdtr(np.clip(own.degrees_of_freedom, 1, 1e9), -t)
        found += float((p[differs] * len(p) <= ALPHA).mean())
    return found / n_studies


def misses(row: Row, found: Outcome) -> bool:
    """Whether a target is missed by more than chance makes of so many studies."""
    if row.most_errors is not None:
        slack = 2 * (row.most_errors * (1 - row.most_errors) / found.n_studies) ** 0.5
        if found.errors > row.most_errors + slack:
            return True
    return row.least_found is not None and (found.power or 0.0) < row.least_found - 0.02


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--studies", type=int, default=400)
    parser.add_argument("--only", default="", help="rows whose name contains this")
    parser.add_argument("--seed", type=int, default=2018)
    options = parser.parse_args(arguments)
    print(f"{options.studies} studies a row, seed {options.seed}\n")
    heads = ("errors", "at most", "coverage", "diff.", "found", "aim", "earlier")
    print("study".ljust(48), *(head.rjust(8) for head in heads))
    n_missed = 0
    for row in _rows():
        if options.only not in row.name:
            continue
        found = outcome(row.study, options.studies, options.seed)
        missed = misses(row, found)
        n_missed += missed
        cells = [f"{found.errors:.1%}", "" if row.most_errors is None else f"{row.most_errors:.1%}"]
        cells += [f"{found.coverage:.1%}"]
        if found.power is not None:
            n = max(options.studies // 4, 1)
            cells += [
                f"{found.difference:.3f}",
                f"{found.power:.2f}",
                f"{row.least_found or 0:.2f}",
            ]
            cells += [f"{earlier(row.study, n, options.seed):.2f}"]
        shown = " ".join(cell.rjust(8) for cell in cells)
        print(f"{row.name:48} {shown}{'  missed' if missed else ''}", flush=True)
    print(f"\n{n_missed} rows miss a target.")


if __name__ == "__main__":
    pages.run(main)
