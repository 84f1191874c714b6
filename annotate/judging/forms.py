"""Forms of the comparison page. The service knows which criteria are open, so none is required."""

from typing import Any

from django import forms

from annotate.accounts.forms import json_object, short_texts
from annotate.errors import CHOOSE_A_VERDICT
from rankings.elicitation import CRITERIA

from .models import Skip, Verdict

_A_DAY_SECONDS = 86_400
AIDS = ("ground_truth", "match_colours", "differences", "boxes_hidden", "blink", "zoomed")


class JudgementForm(forms.Form):
    recall = forms.ChoiceField(choices=Verdict, required=False)
    precision = forms.ChoiceField(choices=Verdict, required=False)
    preference = forms.ChoiceField(choices=Verdict, required=False)
    seconds_taken = forms.CharField(required=False)
    aids = forms.CharField(required=False, max_length=2000)
    disputed = forms.CharField(required=False, max_length=100)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for criterion in CRITERIA:
            self.fields[criterion].error_messages["invalid_choice"] = CHOOSE_A_VERDICT

    def verdicts(self) -> dict[str, str]:
        return {name: self.cleaned_data[name] for name in CRITERIA}

    def clean_seconds_taken(self) -> float | None:
        """A clock that went wrong must not cost the answer."""
        try:
            seconds = float(self.cleaned_data["seconds_taken"])
        except ValueError:
            return None
        return seconds if 0 <= seconds <= _A_DAY_SECONDS else None

    def clean_aids(self) -> dict[str, float]:
        """Seconds for each known aid; what is damaged must not cost the answer."""
        given = json_object(self.cleaned_data["aids"])
        return {
            name: round(float(given[name]), 1)
            for name in AIDS
            if isinstance(given.get(name), int | float) and 0 < given[name] <= _A_DAY_SECONDS
        }

    def clean_disputed(self) -> list[str]:
        named = self.cleaned_data["disputed"].split(",")
        return [name for name in CRITERIA if name in named]


class SkipForm(forms.Form):
    reason = forms.ChoiceField(
        choices=Skip.Reason,
        error_messages={
            "required": "Choose a reason.",
            "invalid_choice": "Choose one of the reasons.",
        },
    )
    text = forms.CharField(required=False, max_length=300, strip=True)
    environment = forms.CharField(required=False, max_length=4000)

    def clean_environment(self) -> dict[str, str]:
        """Return what the browser says of itself: short texts only."""
        return short_texts(self.cleaned_data["environment"], n_value=200)
