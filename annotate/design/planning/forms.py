"""Forms of a plan: goal, people, and the study that shows how much images and people vary."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django import forms
from django.contrib.auth.models import User
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from annotate.datasets.models import Dataset
from annotate.requests import MainAndMore
from annotate.studies.models import Study
from rankings.design.power import POWER
from rankings.design.reach import hours_in_words, reach_of_hours
from rankings.design.study_plans import USUAL_MINUTES, USUAL_PEOPLE, Plan, plan
from rankings.elicitation.log import CRITERIA
from rankings.elicitation.strategies import WAYS

from . import services
from .presentation import panel
from .work import MODELS

_PERCENT: Final = 100
MOST_PEOPLE: Final = 1000
MOST_IMAGES: Final = 100_000
MOST_HOURS: Final = 100_000


@dataclass(frozen=True)
class Planned:
    """A question with its plan, which is None if the question is invalid.

    ``is_enlarged``: the default difference is not detectable and was replaced by one that is.
    ``in_hours``: sentences on what the hours find, if there is a limit.
    """

    form: "PlanForm"
    plan: Plan | None = None
    is_enlarged: bool = False
    in_hours: Sequence[str] = ()

    def panel(self, path: str) -> dict[str, Any]:
        """Return the context of the panel, or none if the question is invalid."""
        if self.plan is None:
            return {}
        strategy = self.form.asked()["strategy"]
        return panel(
            *(self.plan, path, strategy), is_enlarged=self.is_enlarged, in_hours=self.in_hours
        )


def planned(
    data: QueryDict,
    *,
    dataset: Dataset,
    person: User,
    known: Mapping[str, Any] | None = None,
    n_methods: int | None = None,
) -> Planned:
    """Plan the user's request; if the default difference is not detectable, use one that is."""
    known = known or {}
    form = PlanForm(data, dataset=dataset, person=person, known=known)
    if not form.is_valid():
        return Planned(form)
    found = plan(*services.question_of(dataset=dataset, n_methods=n_methods, **form.asked()))
    in_hours = tuple(_in_hours(found, form.cleaned_data["hours"]))
    if found.within_reach is None or data.get("difference"):
        return Planned(form, found, in_hours=in_hours)
    known = {**known, "difference": f"{found.within_reach * _PERCENT:g}"}
    form = PlanForm(data, dataset=dataset, person=person, known=known)
    form.full_clean()
    found = plan(*services.question_of(dataset=dataset, n_methods=n_methods, **form.asked()))
    return Planned(form, found, is_enlarged=True, in_hours=in_hours)


def _in_hours(found: Plan, hours: float | None) -> Iterator[str]:
    if hours is not None:
        within = reach_of_hours(found.pilot, found.question, hours)
        yield from hours_in_words(within, found.question, hours)


class TrialForm(forms.Form):
    """The model of annotators and protocols by which a design is tried."""

    model = forms.ChoiceField(
        label=_("Simulated by"),
        choices=zip(
            MODELS,
            (
                _("normal effects, as large as in the pilot"),
                _("Thurstone's model of annotators"),
                _("Plackett and Luce's model of annotators"),
            ),
            strict=True,
        ),
    )


class PlanForm(MainAndMore, forms.Form):
    """The question of a plan. Missing fields get defaults, so the page shows a plan at once."""

    difference = forms.FloatField(
        label=_("Difference to detect (pairs of methods in 100)"),
        min_value=0.1,
        max_value=_PERCENT,
        help_text=_(
            "How many more of 100 pairs one protocol orders differently from people than the "
            "other protocol does."
        ),
    )
    people = forms.IntegerField(label=_("People available"), min_value=1, max_value=MOST_PEOPLE)
    hours = forms.FloatField(
        label=_("Hours of work available"),
        min_value=0.1,
        max_value=MOST_HOURS,
        required=False,
        help_text=_(
            "Of all people together; the plan then says what can be detected in this time."
        ),
    )
    images = forms.IntegerField(label=_("Images available"), min_value=2, max_value=MOST_IMAGES)
    n_protocols = forms.IntegerField(
        label=_("Protocols you will compare"),
        min_value=2,
        max_value=200,
        help_text=_("Every pair is tested, and all p-values are adjusted for that."),
    )
    power = forms.FloatField(
        label=_("How often it should be detected (percent of studies)"), min_value=50, max_value=99
    )
    criterion = forms.ChoiceField(
        label=_("Criterion"), choices=[(name, _(name)) for name in CRITERIA]
    )
    study: forms.ModelChoiceField[Study] = forms.ModelChoiceField(
        Study.objects.none(),
        label=_("Images and people vary as in"),
        required=False,
        to_field_name="slug",
        empty_label=_("the demo (no pilot)"),
        help_text=_(
            "Chosen at first: the first study on this dataset with complete rankings. A pilot with "
            "about 20 images and three people is better than any guess."
        ),
    )
    seconds = forms.FloatField(
        label=_("Seconds a pair"),
        min_value=0.1,
        max_value=3600,
        required=False,
        help_text=_("Empty: the value measured in the study above, or 10."),
    )
    minutes = forms.FloatField(
        label=_("Minutes a person needs before the first pair"), min_value=0, max_value=480
    )
    strategy = forms.ChoiceField(
        label=_("Order of the pairs of a ranking"),
        choices=zip(
            WAYS,
            (
                Study.Strategy.INSERTION.label,
                Study.Strategy.CAREFUL.label,
                _("every pair once (careful insertion with the probability 1)"),
            ),
            strict=True,
        ),
        help_text=_(
            "Careful insertion takes more pairs, here as many as if 5 % of answers are wrong. Every "
            "pair once is for annotators who repeat mistakes on the same pair."
        ),
    )

    # Fields that the design of a new study shows at once.
    MAIN = ("difference", "people", "hours", "criterion")

    def __init__(
        self,
        data: QueryDict,
        *,
        dataset: Dataset,
        person: User,
        known: Mapping[str, Any] | None = None,
    ) -> None:
        """Fill in defaults; ``known`` has those of the study that is being set up."""
        own = services.usual_question(dataset, person)
        of_dataset = own.pop("study")
        usual: dict[str, Any] = {
            "difference": f"{services.DIFFERENCE * _PERCENT:g}",
            "people": USUAL_PEOPLE,
            **own,
            "power": f"{POWER * _PERCENT:g}",
            "criterion": services.CRITERION,
            "minutes": f"{USUAL_MINUTES:g}",
            "strategy": WAYS[0],
            **(known or {}),
        }
        if of_dataset is not None and "study" not in data:
            usual["study"] = of_dataset.slug
        given = data.copy()
        for name, value in usual.items():
            if not given.get(name):
                given[name] = str(value)
        super().__init__(given)
        study = self.fields["study"]
        if isinstance(study, forms.ModelChoiceField):
            study.queryset = services.pilots(person)

    def asked(self) -> dict[str, Any]:
        """Return the arguments of `services.question_of`."""
        cleaned = dict(self.cleaned_data)
        del cleaned["hours"]
        cleaned["difference"] /= _PERCENT
        cleaned["power"] /= _PERCENT
        return cleaned
