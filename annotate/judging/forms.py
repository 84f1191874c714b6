"""What the comparison page sends, checked and converted. Which criteria are open, the service knows."""

from django import forms

from .models import Skip, Verdict


class JudgementForm(forms.Form):
    recall = forms.ChoiceField(choices=Verdict, required=False)
    precision = forms.ChoiceField(choices=Verdict, required=False)
    preference = forms.ChoiceField(choices=Verdict, required=False)
    seconds_taken = forms.FloatField(required=False, min_value=0, max_value=86_400)

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        for criterion in ("recall", "precision", "preference"):
            self.fields[criterion].error_messages["invalid_choice"] = "Choose left, equal or right."

    def verdicts(self) -> dict[str, str]:
        return {name: self.cleaned_data[name] for name in ("recall", "precision", "preference")}


class SkipForm(forms.Form):
    reason = forms.ChoiceField(
        choices=Skip.Reason,
        error_messages={
            "required": "Choose a reason.",
            "invalid_choice": "Choose one of the reasons.",
        },
    )
    text = forms.CharField(required=False, max_length=300, strip=True)
