"""A report's settings, as its address carries them."""

from collections.abc import Sequence
from typing import cast

from django import forms
from django.http import QueryDict

from annotate.scoring.models import ProtocolRun
from annotate.studies.models import Study
from rankings.report import Settings

_UNROUNDED = "none"
# (value in the address, words)
DECIMALS = [("2", "2"), ("3", "3"), ("4", "4"), (_UNROUNDED, "not rounded")]
DISTANCES = [("edit", "ranking edit distance"), ("kemeny", "Kemeny distance")]
CONSENSUSES = [
    ("mean-rank", "mean rank"),
    ("kemeny", "Kemeny (the nearest of all rankings)"),
    ("davidson", "Davidson (model of pairs with ties)"),
]


class ReportForm(forms.Form):
    """The settings of a report; a field that the address lacks has the study's or the usual value."""

    decimals = forms.ChoiceField(
        choices=DECIMALS,
        required=False,
        label="Decimals of the scores",
    )
    distance = forms.ChoiceField(choices=DISTANCES, required=False)
    consensus = forms.ChoiceField(choices=CONSENSUSES, required=False)
    beta = forms.FloatField(
        min_value=0.01, max_value=100, required=False, label="Beta of the F-score"
    )
    min_annotators = forms.IntegerField(
        min_value=1, max_value=100, required=False, label="Annotators per image, at least"
    )
    # Some pages of single protocols have one instead of several.
    protocol: forms.ChoiceField = forms.MultipleChoiceField(
        required=False, widget=forms.CheckboxSelectMultiple, label="Protocols"
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
