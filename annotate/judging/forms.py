"""Forms of the comparison page. The service knows which criteria are open, so none is required."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from annotate.accounts.forms import json_object, short_texts
from annotate.errors import CHOOSE_A_VERDICT
from rankings.elicitation import CRITERIA

from .models import A_DAY_SECONDS, Skip, Verdict

AIDS = (
    *("ground_truth", "match_colours", "differences", "boxes_hidden", "blink", "zoomed"),
    *("next_difference", "single_view"),
)


def _is_verdict(given: str) -> None:
    if given not in Verdict.values:
        raise ValidationError(CHOOSE_A_VERDICT)


def _verdict() -> forms.CharField:
    # A field with choices copies them for each form, which takes longer than all that is checked.
    return forms.CharField(required=False, validators=[_is_verdict])


class JudgementForm(forms.Form):
    recall = _verdict()
    precision = _verdict()
    preference = _verdict()
    seconds_taken = forms.CharField(required=False)
    aids = forms.CharField(required=False, max_length=2000)
    seen = forms.CharField(required=False, max_length=200)
    disputed = forms.CharField(required=False, max_length=100)

    def verdicts(self) -> dict[str, str]:
        return {name: self.cleaned_data[name] for name in CRITERIA}

    def clean_seconds_taken(self) -> float | None:
        """A clock that went wrong must not cost the answer."""
        try:
            seconds = float(self.cleaned_data["seconds_taken"])
        except ValueError:
            return None
        return seconds if 0 <= seconds <= A_DAY_SECONDS else None

    def clean_aids(self) -> dict[str, float]:
        """Seconds for each known aid; what is damaged must not cost the answer."""
        given = json_object(self.cleaned_data["aids"])
        return {
            name: round(float(given[name]), 1)
            for name in AIDS
            if isinstance(given.get(name), int | float) and 0 < given[name] <= A_DAY_SECONDS
        }

    def clean_seen(self) -> dict[str, Any] | None:
        """Return what the page says of what it showed; None from a page without scripts."""
        text = self.cleaned_data["seen"]
        return json_object(text) if text else None

    def clean_disputed(self) -> list[str]:
        named = self.cleaned_data["disputed"].split(",")
        return [name for name in CRITERIA if name in named]


class SkipForm(forms.Form):
    reason = forms.ChoiceField(
        choices=Skip.Reason,
        error_messages={
            "required": _("Choose a reason."),
            "invalid_choice": _("Choose one of the reasons."),
        },
    )
    text = forms.CharField(required=False, max_length=300, strip=True)
    environment = forms.CharField(required=False, max_length=4000)

    def clean_environment(self) -> dict[str, str]:
        """Return what the browser says of itself: short texts only."""
        return short_texts(self.cleaned_data["environment"], n_value=200)
