"""The form that confirms the erasure of one's personal data."""

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy as _


class EraseForm(forms.Form):
    password = forms.CharField(
        label=_("Your password"),
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
        error_messages={"required": _("Type your password to confirm.")},
    )

    def __init__(self, *args: Any, person: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._person = person

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        if not self._person.check_password(password):
            raise forms.ValidationError(_("This is not your password. Nothing was erased."))
        return password
