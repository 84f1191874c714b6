"""Fields sent by the comparison page."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from annotate.requests import json_object, short_texts
from rankings.elicitation.log import CRITERIA

from .models import A_DAY_SECONDS, Note, Skip, check_layout, check_place, check_places

AIDS = (
    *("ground_truth", "match_colours", "differences", "boxes_hidden", "blink", "zoomed"),
    *("next_difference", "single_view", "place_list"),
)


def answer_given(sent: QueryDict) -> dict[str, Any]:
    """Return the fields of a sent answer as arguments of services.record_judgement.

    Not a Django form: creating one takes longer than reading these values. The service refuses
    invalid verdicts; damaged values of other fields must not lose the answer.
    """
    seen = sent.get("seen", "")
    disputed = sent.get("disputed", "").split(",")
    return {
        "verdicts": {name: sent.get(name, "") for name in CRITERIA},
        "seconds_taken": _seconds(sent.get("seconds_taken", "")),
        "aids": _aids(json_object(sent.get("aids", ""))),
        # Without JavaScript, the view state is unknown.
        "seen": json_object(seen) if seen else None,
        "places": _checked(json_object(sent.get("places", "")), check_places),
        "layout": _checked(json_object(sent.get("layout", "")), check_layout),
        "disputed": [name for name in CRITERIA if name in disputed],
        "looks_same": sent.get("looks_same") == "1",
    }


def _checked(value: dict[str, Any], check: Callable[[Any], None]) -> dict[str, Any] | None:
    """Return a value that passes the check, else None."""
    try:
        check(value)
    except ValidationError:
        return None
    return value


def _seconds(given: str) -> float | None:
    try:
        seconds = float(given)
    except ValueError:
        return None
    return seconds if 0 <= seconds <= A_DAY_SECONDS else None


def _aids(given: Mapping[str, Any]) -> dict[str, float]:
    """Return the seconds of each known aid."""
    return {
        name: round(float(given[name]), 1)
        for name in AIDS
        if isinstance(given.get(name), int | float) and 0 < given[name] <= A_DAY_SECONDS
    }


class SkipForm(forms.Form):
    reason = forms.ChoiceField(
        choices=Skip.OFFERED,
        error_messages={
            "required": _("Choose a reason."),
            "invalid_choice": _("Choose one of the reasons."),
        },
    )
    text = forms.CharField(required=False, max_length=300, strip=True)
    environment = forms.CharField(required=False, max_length=4000)

    def clean_environment(self) -> dict[str, str]:
        """Return the browser's description of itself: short texts only."""
        return short_texts(self.cleaned_data["environment"], n_value=200)


class NoteForm(forms.ModelForm[Note]):
    place = forms.CharField(required=False, max_length=200)

    class Meta:
        model = Note
        fields = ("text", "discuss")
        error_messages: ClassVar = {"text": {"required": _("Write a few words.")}}

    def clean_place(self) -> dict[str, Any] | None:
        """Return the place, or None: a note without a place is about the pair."""
        return _checked(json_object(self.cleaned_data["place"]), check_place)
