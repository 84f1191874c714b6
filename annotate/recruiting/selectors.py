"""Figures of entrances: places, minutes, pay, and the flow of participants."""

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from statistics import median
from typing import Final

from annotate.judging.effort import pairs_an_image, seconds_a_pair
from annotate.studies.models import Study

from .models import Arrival, Entrance, Outcome

# The page before the first pair, the examples and the practice.
_LESSON_MINUTES: Final = 2
_SKIPPED_SHARE: Final = 4


def minutes_of(entrance: Entrance) -> int:
    """Return the promised minutes of a visit: as typed in, or by the study's own pace."""
    if entrance.minutes:
        return entrance.minutes
    seconds = seconds_a_pair(entrance.study)
    return _LESSON_MINUTES + max(1, round(n_pairs_of(entrance) * seconds / 60))


def n_pairs_of(entrance: Entrance) -> int:
    """Return the pairs of a visit."""
    if entrance.n_pairs is not None:
        return entrance.n_pairs
    return max(1, round(entrance.size * pairs_an_image(entrance.study)))


@dataclass(frozen=True, slots=True)
class Figures:
    """The state of an entrance: people by what became of them, and their minutes."""

    entrance: Entrance
    n_taken: int
    n_began: int
    n_under_way: int
    n_timed_out: int
    by_outcome: dict[str, int]
    median_minutes: float | None
    # Known-answer pairs of all who agreed, and those that were right.
    n_checks: int
    n_right: int

    @property
    def n_finished(self) -> int:
        return self.by_outcome[Outcome.COMPLETED]

    @property
    def n_screened_out(self) -> int:
        return self.by_outcome[Outcome.CHECKS]

    @property
    def n_turned_away(self) -> int:
        return sum(self.entrance.turned_away.values())

    @property
    def hourly_pay(self) -> Decimal | None:
        """The reward per hour at the median time; None without a reward or a finished visit."""
        if self.entrance.reward is None or not self.median_minutes:
            return None
        return self.entrance.reward * 60 / Decimal(str(self.median_minutes))

    @property
    def is_paid_too_little(self) -> bool:
        pay, floor = self.hourly_pay, self.entrance.pay_floor
        return pay is not None and floor is not None and pay < floor


def figures_of(study: Study) -> list[Figures]:
    """Return the state of each entrance of a study, oldest first."""
    return [_figures(entrance) for entrance in study.entrances.select_related("study")]


def _figures(entrance: Entrance) -> Figures:
    arrivals = list(entrance.arrivals.all())
    by_outcome = Counter(arrival.outcome for arrival in arrivals)
    minutes = [
        (arrival.ended - arrival.consented).total_seconds() / 60
        for arrival in arrivals
        if arrival.ended is not None and arrival.outcome == Outcome.COMPLETED
    ]
    n_under_way = entrance.arrivals.under_way().count()
    return Figures(
        entrance=entrance,
        n_taken=entrance.arrivals.holding_places().count(),
        n_began=len(arrivals),
        n_under_way=n_under_way,
        n_timed_out=by_outcome[""] - n_under_way,
        by_outcome={outcome: by_outcome[outcome] for outcome in Outcome},
        median_minutes=median(minutes) if minutes else None,
        n_checks=sum(arrival.n_checks for arrival in arrivals),
        n_right=sum(arrival.n_right for arrival in arrivals),
    )


def how_people_were_found(study: Study) -> list[str]:
    """Return a line in English for each entrance by which someone came, with their outcomes."""
    lines = []
    for one in figures_of(study):
        counts = {
            "not admitted": one.n_turned_away,
            "agreed": one.n_began,
            "finished": one.n_finished,
            "stopped by checks": one.n_screened_out,
            "took their consent back": one.by_outcome[Outcome.NO_CONSENT],
            "out of time": one.n_timed_out,
            "in progress": one.n_under_way,
        }
        said = [f"{n} {words}" for words, n in counts.items() if n]
        if one.median_minutes is not None:
            said.append(f"median {round(one.median_minutes, 1)} minutes")
        if one.n_checks:
            said.append(f"{one.n_right} of {one.n_checks} known answers right")
        if said:
            lines.append(f"{one.entrance.name}: {', '.join(said)}")
    return lines


def why_look_at(arrival: Arrival) -> list[str]:
    """Return the reasons, as codes, why a researcher should look at a visit before paying it."""
    entrance, reasons = arrival.entrance, []
    if arrival.n_checks and arrival.n_right < entrance.checks_at_least * arrival.n_checks:
        reasons.append("checks")
    if arrival.n_pairs and 2 * arrival.n_fast > arrival.n_pairs:
        reasons.append("pace")
    if _SKIPPED_SHARE * arrival.n_skipped > arrival.n_pairs + arrival.n_skipped:
        reasons.append("skips")
    if arrival.outcome == Outcome.COMPLETED and not arrival.n_pairs:
        reasons.append("nothing answered")
    return reasons
