"""What the addresses of the pages about single images carry beside a report's settings."""

from collections.abc import Sequence
from typing import Any

from django import forms

from annotate.scoring.models import ProtocolRun
from annotate.studies.models import Study
from rankings.elicitation import CRITERIA

from .forms import ReportForm

# What the page is about; the other settings are folded away.
_FIRST = ("protocol", "criterion", "distance")
_CRITERIA = [(criterion, criterion.capitalize()) for criterion in CRITERIA]


class ImageForm(ReportForm):
    """The report's settings for one image; criterion and pseudonyms are chosen by links."""

    criterion = forms.ChoiceField(choices=_CRITERIA, required=False, widget=forms.HiddenInput)
    pseudonyms = forms.BooleanField(required=False, widget=forms.HiddenInput)

    def clean_criterion(self) -> str:
        return self.cleaned_data["criterion"] or CRITERIA[0]


class DisagreementForm(ReportForm):
    """One protocol and one criterion."""

    protocol = forms.ChoiceField(required=False)
    criterion = forms.ChoiceField(choices=_CRITERIA, required=False)

    def __init__(
        self, data: Any, *args: object, study: Study, runs: Sequence[ProtocolRun], **kwargs: object
    ) -> None:
        given = data.copy()
        if runs and not given.get("protocol"):
            given["protocol"] = runs[0].name
        if not given.get("criterion"):
            given["criterion"] = CRITERIA[0]
        super().__init__(given, *args, study=study, runs=runs, **kwargs)
        self.order_fields(_FIRST)

    @property
    def first_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in _FIRST]

    @property
    def other_fields(self) -> list[forms.BoundField]:
        return [field for field in self if field.name not in _FIRST]

    def runs(self) -> list[ProtocolRun]:
        return [run for run in self._runs if run.name == self.cleaned_data["protocol"]]
