"""A report's settings, as given in its query string."""

from collections.abc import Sequence
from typing import cast

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from annotate.scoring.models import ProtocolRun
from annotate.studies.models import Study
from rankings.agreement.report import Settings
from rankings.output.latex import Look

from .presentation import CONSENSUSES, DISTANCES

_UNROUNDED = "none"
# (value in the address, words)
DECIMALS = [("2", "2"), ("3", "3"), ("4", "4"), (_UNROUNDED, _("not rounded"))]


class LookForm(forms.Form):
    """Layout of the LaTeX tables; missing fields have their defaults."""

    layout = forms.ChoiceField(
        choices=[("side", _("side by side")), ("stacked", _("below each other"))],
        required=False,
        label=_("Criteria"),
    )
    width = forms.ChoiceField(
        choices=[("page", _("both columns, or the page")), ("column", _("one column of two"))],
        required=False,
        label=_("Width"),
    )
    intervals = forms.BooleanField(required=False, label=_("95 % intervals of the Scores"))

    def look(self) -> Look:
        chosen = self.cleaned_data
        return Look(
            layout=chosen["layout"] or "side",
            width=chosen["width"] or "page",
            intervals=chosen["intervals"],
        )


class ReportForm(forms.Form):
    """The settings of a report; missing fields have the study's settings or the defaults."""

    decimals = forms.ChoiceField(
        choices=DECIMALS,
        required=False,
        label=_("Decimals of the scores"),
    )
    distance = forms.ChoiceField(choices=DISTANCES, required=False, label=_("Distance"))
    consensus = forms.ChoiceField(choices=CONSENSUSES, required=False, label=_("Consensus"))
    beta = forms.FloatField(
        min_value=0.01, max_value=100, required=False, label=_("Beta of the F-score")
    )
    min_annotators = forms.IntegerField(
        min_value=1, max_value=100, required=False, label=_("Annotators per image, at least")
    )
    # Some pages show a single protocol instead of several.
    protocol: forms.ChoiceField = forms.MultipleChoiceField(
        required=False, widget=forms.CheckboxSelectMultiple, label=_("Protocols")
    )

    def __init__(self, data: QueryDict, *, study: Study, runs: Sequence[ProtocolRun]) -> None:
        usual = {
            "decimals": "4",
            "distance": "edit",
            "consensus": "mean-rank",
            "beta": "1",
            "min_annotators": str(study.min_annotators),
        }
        given = data.copy()
        for name, value in usual.items():
            if not given.get(name):
                given[name] = value
        if not given.getlist("protocol"):
            given.setlist("protocol", [run.name for run in runs])
        super().__init__(given)
        protocol = cast(forms.ChoiceField, self.fields["protocol"])
        protocol.choices = [(run.name, run.name) for run in runs]
        self._runs = runs

    def settings(self) -> Settings:
        decimals = self.cleaned_data["decimals"]
        return Settings(
            decimals=None if decimals == _UNROUNDED else int(decimals),
            distance=self.cleaned_data["distance"],
            consensus=self.cleaned_data["consensus"],
            beta=self.cleaned_data["beta"],
            min_annotators=self.cleaned_data["min_annotators"],
        )

    def runs(self) -> list[ProtocolRun]:
        return [run for run in self._runs if run.name in self.cleaned_data["protocol"]]
