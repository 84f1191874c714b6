"""The form that creates a token."""

from django import forms
from django.utils.translation import gettext_lazy as _

from annotate.api.scopes import READ, SCOPES
from annotate.names import NameField


class TokenForm(forms.Form):
    name = NameField(
        max_length=80,
        label=_("Name"),
        help_text=_("Its purpose, so that you recognise it later: “nightly backup”."),
    )
    scopes = forms.MultipleChoiceField(
        label=_("Permissions"),
        choices=list(SCOPES.items()),
        widget=forms.CheckboxSelectMultiple,
        initial=[READ],
        error_messages={"required": _("Choose what the token is for.")},
    )
    lasts = forms.ChoiceField(
        label=_("Valid for"),
        choices=[
            ("30", _("30 days")),
            ("90", _("90 days")),
            ("365", _("a year")),
            ("ever", _("until I revoke it")),
        ],
        initial="90",
    )

    def clean_lasts(self) -> int | None:
        lasts = self.cleaned_data["lasts"]
        return None if lasts == "ever" else int(lasts)
