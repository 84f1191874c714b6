"""Measure how often the report's tests err, what they find, and what their intervals contain.

    python -m benchmarks.verdicts [--studies 400] [--only WORD] [--write]

Each row is a kind of simulated study (``rankings.design.simulation``). In the first table, errors are the
share of studies that call equally near protocols different, coverage the share of 95 % intervals of
a mean loss that contain it; *found* is the share of true differences that are found, *known* the same
by a test that knows all variances: no test of these data at this level finds more. The second table
looks at each study while it runs (``rankings.inference.sequential``): a decision is wrong even if it is
withdrawn later. The third plans studies from pilots. Targets are in the rows; a row that misses one
by more than chance is marked.
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from benchmarks import pages
from rankings.design.designs import Design
from rankings.design.power import components_of, needed_images
from rankings.design.simulated_looks import outcome_of_looks
from rankings.design.simulation import Outcome, Simulated, outcome, simulate
from rankings.elicitation.careful import settle_carefully, simulate_carefully
from rankings.elicitation.log import Entry
from rankings.inference.multi_reader import compare
from rankings.inference.resampling import score_intervals
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
    # Equal protocols, some far from the others: what a step-down rule must hold, too.
    rows += [
        Row(
            f"{a} annotators, {7 - n} equal and {n} far",
            Simulated(a, 100, 7, farther=n, added=2.0, taste=taste),
            0.075,
        )
        for a, taste in ((3, 0.3), (5, 0.6), (12, 0.6))
        for n in (1, 3)
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
    heads = ("wrong", "at most", "at end", "found", "at end", "after", "withdrawn")
    print("\n" + "looks while a study runs".ljust(48), *(head.rjust(9) for head in heads))
    n_missed = 0
    for name, study in _looked_at():
        if options.only not in name:
            continue
        equal = outcome_of_looks(study, options.studies, options.seed)
        differing = replace(study, farther=study.protocols // 2)
        n = max(options.studies // 4, 1)
        found = outcome_of_looks(differing, n, options.seed)
        missed = exceeds(max(equal.wrong, found.wrong), ALPHA, options.studies)
        n_missed += missed
        cells = [f"{equal.wrong:.1%}", f"{ALPHA:.1%}", f"{equal.wrong_at_end:.1%}"]
        cells += [f"{found.found or 0:.2f}", f"{found.found_at_end or 0:.2f}"]
        cells += ["" if found.share is None else f"{found.share:.0%}", f"{found.withdrawn:.2f}"]
        shown = " ".join(cell.rjust(9) for cell in cells)
        print(f"{name:48} {shown}{'  missed' if missed else ''}", flush=True)
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


def show_sizes() -> int:
    """Print processor times of large inputs; return how many are too long."""
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
    return share > most + 2 * (most * (1 - most) / n_studies) ** 0.5


def misses(row: Row, found: Outcome) -> bool:
    """Whether a target is missed by more than chance makes of so many studies."""
    if row.most_errors is not None and exceeds(found.errors, row.most_errors, found.n_studies):
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
    heads = ("errors", "at most", "coverage", "diff.", "found", "aim", "known")
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
            cells += [f"{found.difference:.3f}", f"{found.power:.2f}"]
            cells += [f"{row.least_found or 0:.2f}"]
            cells += [f"{found_at_best(row.study, options.studies, options.seed):.2f}"]
        shown = " ".join(cell.rjust(8) for cell in cells)
        print(f"{row.name:48} {shown}{'  missed' if missed else ''}", flush=True)
    n_missed += show_looks(options) + show_plans(options)
    if not options.only:
        n_missed += show_sizes()
    print(f"\n{n_missed} rows miss a target.")


if __name__ == "__main__":
    pages.run(main)
