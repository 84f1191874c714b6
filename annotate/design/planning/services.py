"""Plans of studies on a dataset, from the variances of another study or of the demo."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotate.access import permitted
from annotate.datasets.models import Dataset
from annotate.drilldown.selectors import mistakes_in
from annotate.judging.effort import pairs_an_image, seconds_a_pair, way_of
from annotate.judging.models import Assignment
from annotate.reports.errors import TooLarge
from annotate.reports.pilots import pilot_of_study
from annotate.reports.services import require_small, sentinels
from annotate.studies.draws import n_methods_of_visit
from annotate.studies.models import Study
from rankings.design.designs import Design
from rankings.design.kinds import of_repeated_mistakes
from rankings.design.pilots import (
    DEMO,
    TEN_METHODS,
    USUAL_METHODS,
    Asking,
    Pilot,
    demo_pilot,
    screens_of,
)
from rankings.design.power import POWER
from rankings.design.reach import reach_in_words
from rankings.design.study_plans import (
    REPEATS,
    SHARINGS,
    USUAL_MINUTES,
    USUAL_PEOPLE,
    Choice,
    Question,
)
from rankings.elicitation.strategies import SECONDS_A_PAIR, WAYS, Way, pairs_of_ranking

DIFFERENCE: Final = 0.03
_PAIR: Final = 2
CRITERION: Final = "preference"


@dataclass(frozen=True)
class Measured:
    """Pairs that a ranking of so many methods takes in one way, and seconds that a pair takes."""

    screens: float = pairs_of_ranking(USUAL_METHODS)
    n_methods: int = USUAL_METHODS
    seconds: float = SECONDS_A_PAIR
    way: Way = "insertion"


def pilots(person: User) -> QuerySet[Study]:
    """Return the studies that can be a user's pilot: those followed, with complete rankings."""
    followed = permitted(person, "annotate.follow_study", Study)
    ranked = Assignment.objects.filter(state=Assignment.State.COMPLETE).values("study")
    return followed.filter(pk__in=ranked).order_by("name")


def measured(study: Study | None) -> Measured:
    """Return the mean number of pairs answered per ranking, and the median seconds per pair."""
    if study is None:
        return Measured()
    n_methods = n_methods_of_visit(study)
    if n_methods < 2:
        return Measured(seconds=seconds_a_pair(study))
    return Measured(pairs_an_image(study), n_methods, seconds_a_pair(study), way_of(study))


def usual_question(dataset: Dataset, person: User) -> dict[str, Any]:
    """Return the usual pilot (None without one), images and number of protocols of plans on a dataset."""
    runs = list(dataset.runs.latest_of_each_protocol())
    return {
        "study": pilots(person).filter(dataset=dataset).first(),
        "images": max(2, dataset.images.count()),
        "n_protocols": max(2, len(runs) - len(sentinels(runs))),
    }


def question_of(
    *,
    dataset: Dataset,
    study: Study | None = None,
    criterion: str = CRITERION,
    difference: float = DIFFERENCE,
    people: int = USUAL_PEOPLE,
    power: float = POWER,
    n_protocols: int = 2,
    images: int | None = None,
    seconds: float | None = None,
    minutes: float = USUAL_MINUTES,
    strategy: Way = WAYS[0],
    n_methods: int | None = None,
) -> tuple[Pilot, Question]:
    """Return the variances and the question of a plan.

    ``study`` is the pilot; without one, or if it is too large to analyse, the demo is used, and the
    result says so. ``images`` and ``n_methods`` default to those of the dataset, ``seconds`` to those
    measured in the pilot. A ranking takes pairs by the number of methods, scaled from those measured in
    the pilot; another strategy than the pilot's takes more or fewer.
    """
    cost = measured(study)
    pilot, n_methods = _pilot(study, criterion), n_methods or dataset.methods.count()
    remarks = [*pilot.remarks]
    if n_methods < 2:
        n_methods = cost.n_methods
        if study is None:
            remarks.append(TEN_METHODS)
    if study is not None and pilot.origin != DEMO and mistakes_in(study).belong_to == "pair":
        remarks.append(of_repeated_mistakes(n_methods, seconds or cost.seconds))
    pilot = replace(pilot, remarks=tuple(remarks))
    return pilot.for_methods(n_methods), Question(
        difference=difference,
        people=people,
        share=power,
        n_protocols=n_protocols,
        images=max(2, dataset.images.count()) if images is None else images,
        screens=screens_of(n_methods, cost.screens, cost.n_methods, strategy, cost.way),
        seconds=seconds or cost.seconds,
        minutes_a_person=minutes,
    )


def finds(
    *, dataset: Dataset, person: User, study: Study, images: int, people: int, n_methods: int
) -> str:
    """Return what a study with its settings finds with so many images and people, as a sentence.

    ``study`` need not be stored. It is planned by the person's usual pilot on the dataset. Visits of
    several methods, but not all, count as one pair.
    """
    asked = {**usual_question(dataset, person), "images": images}
    pilot, question = question_of(
        dataset=dataset, people=people, n_methods=n_methods, strategy=way_of(study), **asked
    )
    k = study.methods_per_visit
    asking: Asking = "rankings" if k is None or k >= n_methods else "pairs"
    if asking not in pilot.components:
        pilot = demo_pilot().for_methods(n_methods)
    per_image = min(study.max_annotators or people, people)
    design = Design(
        images,
        people,
        per_image,
        study.agreement_percent / 100,
        max(per_image, min(study.agreement_annotators, people)),
    )
    said = reach_in_words(pilot, question, design, asking)
    if asking == "pairs" and (study.whole_percent or k != _PAIR):
        more = _("Whole rankings, and visits of more than two methods, find more than that.")
        return f"{said} {more}"
    return said


def _pilot(study: Study | None, criterion: str) -> Pilot:
    if study is None:
        return demo_pilot()
    try:
        require_small(study)
    except TooLarge:
        return demo_pilot(
            _(
                "“{study}” is too large to be analysed while you wait; how much images and people "
                "vary is taken from the demo. python -m rankings plan reads its rankings and "
                "scores."
            ).format(study=study)
        )
    return pilot_of_study(study, criterion)


_WAYS: Final[Mapping[Way, Mapping[str, int | str]]] = {
    "insertion": {},
    "careful": {"strategy": Study.Strategy.CAREFUL.value},
    "every-pair": {"strategy": Study.Strategy.CAREFUL.value, "certainty": 1},
}


def settings_of(choice: Choice, strategy: Way) -> dict[str, int | str]:
    """Return all settings that give a new study the design of a plan, whatever it had before."""
    sharing = next(one for one in SHARINGS if one.name == choice.sharing)
    settings: dict[str, int | str] = {
        "min_annotators": sharing.per_image,
        "max_annotators": sharing.per_image,
        # Visits ask about all methods, and no images are ranked by additional people.
        "methods_per_visit": "",
        "agreement_percent": 0,
        **_WAYS[strategy],
    }
    if sharing.repeated:
        settings |= {
            "agreement_percent": round(100 * sharing.repeated),
            "agreement_annotators": REPEATS,
        }
    if choice.asking == "pairs":
        settings["methods_per_visit"] = 2
    return settings
