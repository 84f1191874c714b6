"""Signing up with an invitation, inviting, and one's own account."""

import json
import re
from typing import Any

from allauth.account.forms import SignupForm
from allauth.core import context
from allauth.core.exceptions import ImmediateHttpResponse
from django import forms
from django.contrib.auth.models import User
from django.core.validators import validate_email
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from annotate.studies.models import Role

from . import services
from .adapter import INVITATION_KEY, invitation_in_hand
from .errors import InvitationRefused
from .models import Preferences

_MAX_FACTS = 40


class SignUpForm(SignupForm):  # type: ignore[misc]  # the library has no types
    """The library's form; the account and the use of the invitation are one transaction."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label = "User name"
        self.fields["username"].help_text = "Others who run the study see it."
        self.fields["email"].label = "E-mail address"
        self.fields[
            "email"
        ].help_text = "For a new password when yours is lost. You may leave it empty."
        invitation = invitation_in_hand(context.request)
        if invitation is not None and invitation.email:
            self.fields["email"].initial = invitation.email
            self.fields["email"].disabled = True
            self.fields["email"].help_text = "The address that was invited."

    def try_save(self, request: HttpRequest) -> tuple[User | None, HttpResponse | None]:
        invitation = invitation_in_hand(request)
        try:
            with transaction.atomic():
                if invitation is None:
                    raise InvitationRefused(services.WHY_CLOSED["used"])
                person, response = super().try_save(request)
                if person is not None:
                    services.accept(invitation=invitation, person=person)
        except InvitationRefused as refusal:
            raise ImmediateHttpResponse(redirect("accounts:invitation")) from refusal
        request.session.pop(INVITATION_KEY, None)
        return person, response


class InviteForm(forms.Form):
    """Without addresses one link for whoever has it."""

    emails = forms.CharField(
        required=False,
        max_length=20_000,
        label="E-mail addresses",
        help_text=(
            "One a line. Each gets a link of its own that works for this address alone. Left empty, "
            "you get one link that works for whoever opens it first."
        ),
        widget=forms.Textarea(attrs={"rows": 4, "autocapitalize": "none", "spellcheck": "false"}),
    )
    days = forms.TypedChoiceField(
        label="Valid for",
        coerce=int,
        initial=14,
        choices=[(3, "3 days"), (14, "2 weeks"), (30, "a month")],
    )

    def clean_emails(self) -> list[str]:
        written = dict.fromkeys(
            part.lower() for part in re.split(r"[\s,;]+", self.cleaned_data["emails"]) if part
        )
        for email in written:
            try:
                validate_email(email)
            except forms.ValidationError as fault:
                raise forms.ValidationError(
                    f"“{email}” is no e-mail address. Nobody was invited."
                ) from fault
        return list(written)


class InviteToStudyForm(InviteForm):
    field_order = ["role", "emails", "days"]
    role = forms.ChoiceField(choices=Role, label="As")


class ProfileForm(forms.ModelForm[User]):
    class Meta:
        model = User
        fields = ["first_name", "last_name"]
        labels = {"first_name": "First name", "last_name": "Last name"}


def short_texts(sent: str, *, n_key: int = 40, n_value: int) -> dict[str, str]:
    """Return the object that a page sent as JSON, cut to short texts; empty for anything else."""
    pairs = list(json_object(sent).items())[:_MAX_FACTS]
    return {str(name)[:n_key]: str(value)[:n_value] for name, value in pairs}


def json_object(sent: str) -> dict[str, Any]:
    """Return the object that a page sent as JSON; empty for anything else."""
    try:
        given = json.loads(sent or "{}")
    except ValueError:
        return {}
    return given if isinstance(given, dict) else {}


class PreferencesForm(forms.ModelForm[Preferences]):
    keys = forms.CharField(required=False, max_length=2000)

    class Meta:
        model = Preferences
        fields = ["theme", "advance", "single_keys"]

    def clean_keys(self) -> dict[str, str]:
        return short_texts(self.cleaned_data["keys"], n_value=20)
