"""Measure how often the report's tests err, what they find, and what their intervals contain.

    python -m benchmarks.verdicts [--studies 400] [--tables worlds rules] [--only WORD] [--write]

Each row is a kind of study, simulated (``rankings.design.simulation``) in each of the worlds of
``WORLDS``. Errors are the share of studies that call equally near protocols different, in the worst
world: a quarter of the studies finds this world, and all studies simulate it again with another seed. The
column *edit* has the errors of the same test by the paper's edit distance in that world, unless its answers
are no rankings. Coverage, of 95 % intervals of a mean loss, is the worst of all worlds. *Found* is the share
of true differences that are found in the world where the test finds fewest, *known* the same by a test that
knows all variances: no single-step test of these data at this level finds more. *Named* is the risk in the
report's sentence.

The second table compares rules for many pairs: Bonferroni's, Shaffer's and the F test of Ryan, Einot,
Gabriel and Welsch. The third looks at each study while it runs (``rankings.inference.sequential``), in the
world with most wrong decisions, which count even if withdrawn later, and in that where fewest true
differences are found. The fourth plans studies from pilots. Targets are in the
rows; a row that misses one by more than chance is marked.
"""

import argparse
import math
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from benchmarks import pages
from rankings.analysis.verdicts import risk_of
from rankings.design.designs import Design
from rankings.design.power import components_of, needed_images
from rankings.design.simulated_looks import outcome_of_looks
from rankings.design.simulation import Outcome, Simulated, outcome, simulate
from rankings.design.trials import with_difference
from rankings.elicitation.careful import settle_carefully, simulate_carefully
from rankings.elicitation.log import Entry
from rankings.inference.moderation import ENOUGH_PROTOCOLS
from rankings.inference.multi_reader import Comparison, compare
from rankings.inference.resampling import score_intervals
from rankings.inference.significance import ALPHA, bonferroni, shaffer

# Settings of people and protocols. In each world, protocols of one kind are equally near to people.
WORLDS: Final[Mapping[str, Mapping[str, Any]]] = {
    "alike": {"taste": 0.0},
    "tastes": {"taste": 0.6},
    "Gumbel": {"taste": 0.6, "model": "plackett-luce"},
    "same slips": {"flips": 0.2, "flips_by": "pair"},
    "camps": {"taste": 1.0, "camps": 0.3},
    "scales": {"taste": 0.6, "scales": True},
    "rounding": {"taste": 0.6, "coarse": 1.0},
    "unclear": {"taste": 0.6, "unclear": 0.6},
    "drift": {"taste": 0.3, "drift": 1.5},
}
AIM: Final = 0.055
_WIDTHS: Final = {"world": 10}
Found = TypeVar("Found")


@dataclass(frozen=True)
class Row:
    """A kind of study with its targets; None: not a target."""

    name: str
    study: Simulated
    most_errors: float | None = AIM
    least_found: float | None = None
    worlds: Collection[str] = tuple(WORLDS)

    def in_world(self, world: str) -> Simulated:
        """Return the study in a world; a true difference is as large in each."""
        study = replace(self.study, **WORLDS[world])
        return study if self.least_found is None else with_difference(study)


def worst_of(row: Row, n_studies: int, seed: int) -> tuple[str, Simulated, Outcome]:
    """Return the world with most errors, or where least is found, with the worst coverage of all."""

    def badness(one: Outcome) -> float:
        return one.errors if row.least_found is None or one.power is None else -one.power

    studies = {world: row.in_world(world) for world in row.worlds}
    world, first, found = worst_world(studies, outcome, badness, n_studies, seed)
    coverage = min(one.coverage for one in first.values())
    return world, studies[world], replace(found, coverage=coverage)


def worst_world(
    studies: Mapping[str, Simulated],
    simulated: Callable[[Simulated, int, int], Found],
    badness: Callable[[Found], float],
    n_studies: int,
    seed: int,
) -> tuple[str, dict[str, Found], Found]:
    """Return the worst world, what fewer studies found in each, and what all find in the worst."""
    first = {world: simulated(one, max(n_studies // 4, 1), seed) for world, one in studies.items()}
    world = max(first, key=lambda name: badness(first[name]))
    return world, first, simulated(studies[world], n_studies, seed + 1)


def _rows() -> list[Row]:
    def named(a: int, k: int) -> float:
        return risk_of(a, k) / 100

    rows = [
        Row(
            f"{k} protocols, {a} annotators",
            Simulated(a, 60, k),
            AIM if k >= ENOUGH_PROTOCOLS else named(a, k),
        )
        for k in (2, 3, 7, 15)
        for a in (3, 5, 12)
        if k < 15 or a == 12
    ]
    rows += [Row(f"near copies, {a} annotators", Simulated(a, 60, copies=True)) for a in (3, 5, 12)]
    # Equal protocols, some far from the others: what a step-down rule must hold, too.
    rows += [
        Row(f"{a} annotators, {7 - n} equal and {n} far", Simulated(a, 60, farther=n, added=2.0))
        for a in (3, 5, 12)
        for n in (1, 3)
    ]
    rows += [
        Row("heavy-tailed workload", Simulated(per_image=3, workload=1.5)),
        Row("one person has 95 % of the work", Simulated(4, 200, per_image=1, workload=5)),
        Row("one ranking an image", Simulated(images=200, per_image=1)),
        Row("two rankings an image", Simulated(8, per_image=2)),
        Row("drop-outs", Simulated(drop_outs=0.3)),
    ]
    for k, (n, declared) in product((2, 7), ((2, True), (4, True), (2, False))):
        said = "declared" if declared else "not declared"
        study = Simulated(12, 60, k, groups=n, bias=1.0, declared=declared)
        most = (AIM if k > 2 else named(n, k)) if declared else None
        rows.append(
            Row(f"{k} protocols, {n} sites, {said}", study, most, None, ("tastes", "camps"))
        )
    for k, declared in product((2, 7), (True, False)):
        said = "declared" if declared else "not declared"
        study = Simulated(12, 100, k, scenes=10, declared=declared)
        most = (AIM if k > 2 else named(12, k)) if declared else None
        rows.append(Row(f"{k} protocols, scenes of ten, {said}", study, most, None, ("tastes",)))
    for a, i, k, difference, found in (
        *((3, 100, 7, 0.05, 0.32), (5, 100, 7, 0.06, 0.84)),
        *((12, 200, 7, 0.03, 0.60), (12, 200, 15, 0.03, 0.36)),
    ):
        study = Simulated(a, i, k, farther=k // 2, difference=difference)
        rows.append(Row(f"{a} annotators, {i} images, {k} protocols", study, AIM, found))
    return rows


def found_at_best(study: Simulated, n_studies: int, seed: int) -> float:
    """Return the share of true differences that a test with known variances finds."""
    from scipy.special import ndtri

    rng = np.random.default_rng(seed)
    means = np.stack(
        [simulate(study, rng).distances.distances.mean(axis=0) for _ in range(n_studies)]
    )
    first, second = np.triu_indices(study.protocols, 1)
    differs = study.is_farther[first] != study.is_farther[second]
    apart = means[:, first] - means[:, second]
    limit = -ndtri(ALPHA / 2 / len(first))
    return float((np.abs(apart) > limit * apart.std(axis=0, ddof=1))[:, differs].mean())


def told_by_ryan(pairs: Sequence[Comparison], n_protocols: int) -> NDArray[np.bool_]:
    """Return which pairs the F test of Ryan, Einot, Gabriel and Welsch calls different.

    A pair differs if every set of protocols that has both is heterogeneous: the mean of its pairs' squared
    t, as F with one degree of freedom fewer than its protocols, and the harmonic mean of the pairs' own,
    is significant at 1 - (1 - ALPHA)^(size / protocols), or at ALPHA for all protocols and all but one.
    """
    from scipy.special import fdtrc, stdtrit

    first, second = np.triu_indices(n_protocols, 1)
    chosen = np.arange(2**n_protocols)[:, np.newaxis] >> np.arange(n_protocols) & 1 > 0
    chosen = chosen[chosen.sum(axis=1) > 1]
    # (sets, pairs)
    has_both, sizes = chosen[:, first] & chosen[:, second], chosen.sum(axis=1)
    degrees = np.array([pair.degrees_of_freedom or 1 for pair in pairs])
    p_values = np.array([1 if pair.p_value is None else pair.p_value for pair in pairs])
    squares = stdtrit(degrees, np.maximum(p_values, 1e-300) / 2) ** 2
    n_pairs = has_both.sum(axis=1)
    p_of_sets = fdtrc(sizes - 1, n_pairs / (has_both @ (1 / degrees)), has_both @ squares / n_pairs)
    levels = np.where(sizes >= n_protocols - 1, ALPHA, 1 - (1 - ALPHA) ** (sizes / n_protocols))
    is_told = p_of_sets <= levels
    return np.asarray((is_told[:, np.newaxis] | ~has_both).all(axis=0))


def show_rules(options: argparse.Namespace) -> int:
    """Print errors and what is found by rules for many pairs, of the same p-values."""
    rules: dict[str, Callable[[Sequence[Comparison], int], NDArray[np.bool_]]] = {
        "Bonferroni": lambda pairs, k: _told(bonferroni([pair.p_value for pair in pairs])),
        "Shaffer": lambda pairs, k: _told(shaffer([pair.p_value for pair in pairs], k)),
        "Ryan F": told_by_ryan,
    }
    print("\n" + "rules for many pairs".ljust(48), *(name.rjust(15) for name in rules))
    far = {"farther": 3, "added": 2.0}
    studies = [
        (f"{a} annotators, {world}, {name}", Simulated(a, 60, **{**change, **WORLDS[world]}))
        for a in (3, 5, 12)
        for world in ("tastes", "camps", "drift")
        for name, change in (("near copies", {"copies": True}), ("4 equal and 3 far", far))
    ]
    # The differences of the aims, where tastes hardly differ.
    for a, images, difference in ((3, 100, 0.05), (5, 100, 0.06), (12, 200, 0.03)):
        study = Simulated(a, images, farther=3, difference=difference, taste=0.1)
        name = f"{a} annotators, {images} images, 3 farther by {100 * difference:g} %"
        studies.append((name, with_difference(study)))
    for name, study in studies:
        if options.only not in name:
            continue
        rng, k = np.random.default_rng(options.seed + 2), study.protocols
        first, second = np.triu_indices(k, 1)
        differs = study.is_farther[first] != study.is_farther[second]
        shares: dict[str, list[tuple[float, float]]] = {rule: [] for rule in rules}
        for _ in range(options.studies):
            pairs = compare(simulate(study, rng).as_tested(study)).pairs
            for rule, told_by in rules.items():
                told = told_by(pairs, k)
                found = float(told[differs].mean()) if differs.any() else 0.0
                shares[rule].append((bool(told[~differs].any()), found))
        cells = []
        for of_rule in shares.values():
            errors, found = np.mean(of_rule, axis=0).tolist()
            cells.append(f"{errors:.1%}" + (f", {found:.2f}" if differs.any() else " " * 5))
        print(f"{name:48}", *(cell.rjust(15) for cell in cells), flush=True)
    return 0


def _told(p_values: Sequence[float | None]) -> NDArray[np.bool_]:
    return np.array([p is not None and p <= ALPHA for p in p_values])


def _looked_at() -> Iterator[tuple[str, Simulated]]:
    for k in (2, 7):
        base = Simulated(24, 240, k, per_image=2)
        in_sessions = replace(base, order="sessions")
        for name, study in (
            ("sessions", in_sessions),
            ("interleaved", base),
            ("scenes of ten", replace(in_sessions, scenes=24)),
            ("skewed", replace(in_sessions, skew=1.0)),
            ("two sites", replace(in_sessions, groups=2)),
            ("drop-outs", replace(in_sessions, drop_outs=0.3)),
        ):
            yield f"{k} protocols, {name}", study


def show_looks(options: argparse.Namespace) -> int:
    """Print the table of studies with looks; return how many rows miss a target."""
    heads = ["wrong", "at most", "at end", "world"]
    heads += ["found", "at end", "after", "withdrawn", "world"]
    print("\n" + "looks while a study runs".ljust(30), *(head.rjust(10) for head in heads))
    n_missed = 0
    for name, study in _looked_at():
        if options.only not in name:
            continue
        equals = {world: replace(study, **change) for world, change in WORLDS.items()}
        n, seed, n_farther = options.studies, options.seed, study.protocols // 2
        world, _, equal = worst_world(equals, outcome_of_looks, lambda one: one.wrong, n, seed)
        differing = {name: replace(one, farther=n_farther) for name, one in equals.items()}
        hardest, _, found = worst_world(
            *(differing, outcome_of_looks, lambda one: -1.0 if one.found is None else -one.found),
            *(max(n // 4, 1), seed),
        )
        missed = exceeds(max(equal.wrong, found.wrong), ALPHA, options.studies)
        n_missed += missed
        cells = [f"{equal.wrong:.1%}", f"{ALPHA:.1%}", f"{equal.wrong_at_end:.1%}", world]
        cells += [f"{found.found or 0:.2f}", f"{found.found_at_end or 0:.2f}"]
        cells += ["" if found.share is None else f"{found.share:.0%}", f"{found.withdrawn:.2f}"]
        shown = " ".join(cell.rjust(10) for cell in [*cells, hardest])
        print(f"{name:30} {shown}{'  missed' if missed else ''}", flush=True)
    return n_missed


def _with_size(study: Simulated, annotators: int, images: int) -> Simulated:
    """Return the study with other numbers, and groups and scenes of the same sizes."""
    groups = study.groups * annotators // study.annotators
    scenes = study.scenes * images // study.images
    return replace(study, annotators=annotators, images=images, groups=groups, scenes=scenes)


def show_plans(options: argparse.Namespace) -> int:
    """Print what becomes of plans for a power of 80 %; return how many rows miss a target.

    A pilot of 12 annotators and 40 images plans the images of a study of 24 annotators, two an image;
    that study is simulated and tested. Without a design, a plan says that there is *none* if there
    is none either by the least variances that such a pilot allows (``Components.lucky``).
    """
    print("\n" + "plans from pilots".ljust(48), "    found   wanted    none  at most no design")
    n_missed, n_pilots = 0, options.studies
    kinds = (("", 0, 0), (", groups of two", 12, 0), (", scenes of five", 0, 48))
    rows = [*product((2, 7), kinds), (2, (", near the limit", 0, 0))]
    for k, (name, groups, scenes) in rows:
        is_near = "limit" in name
        name = f"{k} protocols{name}, power .80 promised"
        if options.only not in name:
            continue
        rng = np.random.default_rng(options.seed)
        world = Simulated(
            24,
            240,
            k,
            per_image=2,
            farther=k // 2,
            taste=0.3 if is_near else 0.1,
            groups=groups,
            bias=0.1,
            scenes=scenes,
        )
        # Over many studies: the tastes of 24 annotators alone move the difference by a fifth.
        several = [simulate(world, rng).distances.distances.mean(axis=0) for _ in range(1000)]
        means = np.mean(several, axis=0)
        farther = world.is_farther
        apart = float(means[farther].mean() - means[~farther].mean())
        first, second = np.triu_indices(k, 1)
        design_alpha = ALPHA / len(first)
        differs, n_none, n_unknown, shares = farther[first] != farther[second], 0, 0, []
        for _ in range(n_pilots):
            pilot = simulate(_with_size(world, 12, 40), rng)
            parts = components_of(pilot.distances, pilot.as_tested(world))
            design = Design(2, world.annotators, world.per_image)
            n = needed_images(parts, design, apart, alpha=design_alpha)
            if n is None:
                n_unknown += 1
                n_none += needed_images(parts.lucky, design, apart, alpha=design_alpha) is None
            # Near the limit plans have up to 100,000 images, and exist if the variances seem small.
            if n is None or is_near:
                continue
            # More images add nothing, and need gigabytes.
            result = compare(simulate(_with_size(world, 24, min(n, 10_000)), rng).as_tested(world))
            told = np.array([(pair.adjusted_p_value or 0.0) <= ALPHA for pair in result.pairs])
            shares.append(float(told[differs].mean()))
        found, none = float(np.mean(shares or [0])), n_none / n_pilots
        slack = 2 * 0.4 / n_pilots**0.5
        is_kept = is_near or 0.78 - slack <= found <= 0.85 + slack
        missed = not is_kept or exceeds(none, 0.02, n_pilots)
        n_missed += missed
        cells = " " * 18 if is_near else f"{found:9.2f}  .78-.85"
        cells += f" {none:7.1%}     2.0% {n_unknown / n_pilots:8.1%}"
        print(f"{name:48} {cells}{'  missed' if missed else ''}", flush=True)
    return n_missed


def next_question(log: Sequence[Entry]) -> tuple[int, int] | None:
    """Read an almost finished log of 20 results and return what to ask, as the site does."""
    return settle_carefully(20, log).state.next_pair()


def show_sizes(options: argparse.Namespace) -> int:
    """Print processor times of large inputs; return how many are too long."""
    if options.only:
        return 0
    print("\n" + "sizes".ljust(48), "  seconds  at most")
    rng, n_missed = np.random.default_rng(1), 0
    large = simulate(Simulated(12, 233, 21, methods=10), rng).distances
    of_images = large.distances.reshape(233, 12, 21).mean(axis=1)
    many = simulate(Simulated(12, 10_000, 7, per_image=3), rng).distances
    log = simulate_carefully(20, lambda a, b, _: "left" if a < b else "right")[:-1]

    def tests_and_intervals() -> None:
        compare(large)
        score_intervals(of_images, large.protocols)

    for name, work, most in (
        ("233 images x 10 methods x 21 protocols x 12 people", tests_and_intervals, 1.0),
        ("10,000 images, 7 protocols", lambda: compare(many), 10.0),
        ("next question of the careful sorter, 20 results", lambda: next_question(log), 0.002),
    ):
        work()
        started = time.process_time()
        for _ in range(5):
            work()
        seconds = (time.process_time() - started) / 5
        n_missed += seconds > most
        cells = f"{seconds:9.4f} {most:8g}{'  missed' if seconds > most else ''}"
        print(f"{name:48} {cells}", flush=True)
    return n_missed


def exceeds(share: float, most: float, n_studies: int) -> bool:
    """Whether a share is above its limit by more than chance makes of so many studies."""
    return share > most + 2 * math.sqrt(most * (1 - most) / n_studies)


def misses(row: Row, found: Outcome) -> bool:
    """Whether a target is missed by more than chance makes of so many studies."""
    if row.most_errors is not None and exceeds(found.errors, row.most_errors, found.n_studies):
        return True
    return row.least_found is not None and bool((found.power or 0.0) < row.least_found - 0.02)


def show_worlds(options: argparse.Namespace) -> int:
    """Print the table of all kinds of studies; return how many rows miss a target."""
    heads = [*("errors", "at most", "named", "world", "edit", "coverage")]
    heads += ["diff.", "found", "aim", "known"]
    print("study".ljust(41), *(head.rjust(_WIDTHS.get(head, 8)) for head in heads))
    n_missed = 0
    for row in _rows():
        if options.only not in row.name:
            continue
        world, worst, found = worst_of(row, options.studies, options.seed)
        missed = misses(row, found)
        n_missed += missed
        study = row.study
        n_units = study.groups if study.groups and study.declared else study.annotators
        limits = ["" if row.most_errors is None else f"{row.most_errors:.1%}"]
        limits.append(f"{risk_of(n_units, study.protocols)} %" if row.most_errors else "")
        cells = [f"{found.errors:.1%}", *limits, world.rjust(10)]
        by_edit = None
        if not worst.flips:
            by_edit = outcome(replace(worst, loss="edit"), options.studies, options.seed + 1).errors
        cells += ["" if by_edit is None else f"{by_edit:.1%}", f"{found.coverage:.1%}"]
        if row.least_found is not None:
            cells += [f"{found.difference:.3f}", f"{found.power:.2f}", f"{row.least_found:.2f}"]
            known = found_at_best(worst, options.studies, options.seed)
            cells.append(f"{known:.2f}")
        shown = " ".join(cell.rjust(8) for cell in cells)
        print(f"{row.name:41} {shown}{'  missed' if missed else ''}", flush=True)
    return n_missed


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--studies", type=int, default=400)
    parser.add_argument("--only", default="", help="rows whose name contains this")
    parser.add_argument("--seed", type=int, default=2018)
    tables = {
        "worlds": show_worlds,
        "rules": show_rules,
        "looks": show_looks,
        "plans": show_plans,
        "sizes": show_sizes,
    }
    parser.add_argument("--tables", nargs="+", choices=tables, default=tables)
    options = parser.parse_args(arguments)
    print(f"{options.studies} studies a row, seed {options.seed}\n")
    n_missed = sum(tables[name](options) for name in options.tables)
    print(f"\n{n_missed} rows miss a target.")


if __name__ == "__main__":
    pages.run(main)
