"""People's order of the final entries, and the images that show where the scores disagree."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from annotate.access import Person, permitted
from annotate.datasets.models import Method
from annotate.leaderboards.selectors import orders_of_people
from annotate.reports.background_counts import is_large
from annotate.reports.pairs import visits_of
from annotate.studies.models import Study

from .final import method_name
from .models import Challenge, Entry
from .selectors import Reader, figures_by_image, standings


@dataclass(frozen=True)
class Against:
    """Two teams whose final entries scores and people put in opposite orders.

    ``images`` are names, the largest difference of scores first: on each the scores prefer one
    entry and more people the other. ``query`` opens the two methods in the viewer.
    """

    by_scores: str
    by_people: str
    images: Sequence[str] = ()
    query: str = ""


@dataclass(frozen=True)
class People:
    """Places of the teams in the newest kept report, and the pairs that the scores order otherwise."""

    # By the key of the team.
    of_team: dict[int, int]
    # In the order of the scores.
    places: Sequence[dict[str, Any]]
    against: Sequence[Against]


def people_of(challenge: Challenge, reader: Reader, person: Person) -> People | None:
    """Return the order that people give the final entries; None before the end or a kept report.

    Images are for organisers who follow the study: the answers are as they are now. Of a large
    study only its own pages show them.
    """
    found = standings(challenge, challenge.deciding_split) if challenge.is_over else None
    orders = orders_of_people(Study.objects.filter(challenges=challenge))
    if found is None or not orders:
        return None
    of_method, study = orders[0].places, orders[0].study
    named = [(entry, method_name(entry)) for entry in found.entries]
    of_team = {entry.team_id: of_method[name] for entry, name in named if name in of_method}
    places = [{"team": e.team.name, "place": of_team.get(e.team_id)} for e in found.entries]
    values = dict(zip(found.entries, found.boards.board.values, strict=True))
    pairs = [
        (above, below)
        for above, below in combinations(found.entries, 2)
        if above.team_id in of_team
        and below.team_id in of_team
        and (values[above] or 0) > (values[below] or 0)
        and of_team[above.team_id] > of_team[below.team_id]
    ]
    follows = permitted(person, "annotate.follow_study", Study).filter(pk=study.pk)
    may_see = reader.is_organiser and follows.exists() and not is_large(study)
    against = _with_images(study, pairs) if may_see else []
    return People(of_team, places, against or [Against(a.team.name, b.team.name) for a, b in pairs])


def _with_images(study: Study, pairs: Sequence[tuple[Entry, Entry]]) -> list[Against]:
    slugs = dict(Method.objects.filter(studies=study).values_list("name", "slug"))
    visits = [
        (visit.image, {name: at for at, bucket in enumerate(visit.ranking) for name in bucket})
        for visit in visits_of(study)["preference"]
    ]
    values = {
        entry.pk: {
            one.image.name: one.value
            for one in figures_by_image(entry, entry.team.challenge.deciding_split)
        }
        for entry in {entry for pair in pairs for entry in pair}
    }
    found = []
    for above, below in pairs:
        higher, preferred = method_name(above), method_name(below)
        votes: Counter[str] = Counter()
        for image, at in visits:
            if higher in at and preferred in at:
                votes[image] += (at[preferred] < at[higher]) - (at[preferred] > at[higher])
        of_above, of_below = values[above.pk], values[below.pk]
        apart = {
            name: one - other
            for name, n in votes.items()
            if n > 0
            and (one := of_above.get(name)) is not None
            and (other := of_below.get(name)) is not None
            and one > other
        }
        found.append(
            Against(
                above.team.name,
                below.team.name,
                sorted(apart, key=lambda name: -apart[name]),
                f"left={slugs[higher]}&right={slugs[preferred]}",
            )
        )
    return found
