"""Forms on the pages of the first visit."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotate.errors import CHOOSE_A_VERDICT

from .pairs import CRITERIA, EQUAL, LEFT, RIGHT


class ConsentForm(forms.Form):
    agree = forms.BooleanField(
        error_messages={"required": _("Tick the box to take part. Without it you cannot begin.")}
    )


class PracticeForm(forms.Form):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for criterion in CRITERIA:
            self.fields[criterion] = forms.ChoiceField(
                choices=[(verdict, verdict) for verdict in (LEFT, EQUAL, RIGHT)],
                error_messages={
                    "required": CHOOSE_A_VERDICT,
                    "invalid_choice": CHOOSE_A_VERDICT,
                },
            )

    def answers(self) -> dict[str, str]:
        return {criterion: self.cleaned_data[criterion] for criterion in CRITERIA}
