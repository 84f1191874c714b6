"""What the comparison page sends, checked and converted. Which criteria are open, the service knows."""

from django import forms

from .models import Skip, Verdict

_A_DAY_SECONDS = 86_400


class JudgementForm(forms.Form):
    recall = forms.ChoiceField(choices=Verdict, required=False)
    precision = forms.ChoiceField(choices=Verdict, required=False)
    preference = forms.ChoiceField(choices=Verdict, required=False)
    seconds_taken = forms.CharField(required=False)

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        for criterion in ("recall", "precision", "preference"):
            self.fields[criterion].error_messages["invalid_choice"] = "Choose left, equal or right."

    def verdicts(self) -> dict[str, str]:
        return {name: self.cleaned_data[name] for name in ("recall", "precision", "preference")}

    def clean_seconds_taken(self) -> float | None:
        """A clock that went wrong must not cost the answer."""
        try:
            seconds = float(self.cleaned_data["seconds_taken"])
        except ValueError:
            return None
        return seconds if 0 <= seconds <= _A_DAY_SECONDS else None


class SkipForm(forms.Form):
    reason = forms.ChoiceField(
        choices=Skip.Reason,
        error_messages={
            "required": "Choose a reason.",
            "invalid_choice": "Choose one of the reasons.",
        },
    )
    text = forms.CharField(required=False, max_length=300, strip=True)
