"""Forms for sign-up, lost passwords, invitations, and the user's own account."""

import re
from typing import Any

from allauth.account.forms import ResetPasswordForm, SignupForm
from allauth.core import context
from allauth.core.exceptions import ImmediateHttpResponse
from django import forms
from django.conf import settings
from django.contrib.auth.models import User
from django.core.validators import validate_email
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotate.requests import short_texts
from annotate.studies.models import Role

from . import lost_passwords, services
from .adapter import INVITATION_KEY, invitation_in_hand
from .errors import InvitationRefused
from .models import Preferences


class SignUpForm(SignupForm):  # type: ignore[misc]  # the library has no types
    """The library's form; it creates the account and uses the invitation in one transaction."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label = _("User name")
        self.fields["username"].help_text = _("Others who run the study see it.")
        self.fields["email"].label = _("E-mail address")
        self.fields["email"].help_text = _(
            "For a new password when yours is lost. You may leave it empty."
        )
        invitation = invitation_in_hand(context.request)
        if invitation is not None and invitation.email:
            self.fields["email"].initial = invitation.email
            self.fields["email"].disabled = True
            self.fields["email"].help_text = _("The address that was invited.")

    def try_save(self, request: HttpRequest) -> tuple[User | None, HttpResponse | None]:
        invitation = invitation_in_hand(request)
        try:
            with transaction.atomic():
                if invitation is None:
                    raise InvitationRefused(str(services.WHY_CLOSED["used"]))
                person, response = super().try_save(request)
                if person is not None:
                    services.accept(invitation=invitation, person=person)
        except InvitationRefused as refusal:
            raise ImmediateHttpResponse(redirect("accounts:invitation")) from refusal
        request.session.pop(INVITATION_KEY, None)
        return person, response


class LostPasswordForm(ResetPasswordForm):  # type: ignore[misc]  # the library has no types
    """A form that leaves the look-up to a worker, so response times do not reveal accounts."""

    def clean_email(self) -> str:
        address: str = self.cleaned_data["email"]
        return address

    def save(self, request: HttpRequest, **kwargs: Any) -> str:
        address: str = self.cleaned_data["email"]
        if settings.MAIL_IS_SET_UP:
            lost_passwords.ask(address, request.build_absolute_uri("/"))
        return address


class InviteForm(forms.Form):
    """Invitations by e-mail; without addresses, one link for anyone who has it."""

    emails = forms.CharField(
        required=False,
        max_length=20_000,
        label=_("E-mail addresses"),
        help_text=(
            _(
                "One per line. Each address gets its own link, which works for that address "
                "only. If left empty, you get one link that works for the first person who opens "
                "it."
            )
        ),
        widget=forms.Textarea(attrs={"rows": 4, "autocapitalize": "none", "spellcheck": "false"}),
    )
    days = forms.TypedChoiceField(
        label=_("Valid for"),
        coerce=int,
        initial=14,
        choices=[(3, _("3 days")), (14, _("2 weeks")), (30, _("a month"))],
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
                    gettext("“{email}” is not an e-mail address. No one was invited.").format(
                        email=email
                    )
                ) from fault
        return list(written)


class InviteToStudyForm(InviteForm):
    field_order = ["role", "emails", "days"]
    role = forms.ChoiceField(choices=Role, label=_("As"))


class ProfileForm(forms.ModelForm[User]):
    class Meta:
        model = User
        fields = ["first_name", "last_name"]
        labels = {"first_name": _("First name"), "last_name": _("Last name")}


class PreferencesForm(forms.ModelForm[Preferences]):
    language = forms.ChoiceField(
        label=_("Language"),
        required=False,
        choices=[("", _("that of the browser")), *settings.LANGUAGES],
    )
    keys = forms.CharField(required=False, max_length=2000)

    class Meta:
        model = Preferences
        fields = ["language", "theme", "advance", "single_keys"]
        labels = {"theme": _("Theme")}

    def clean_keys(self) -> dict[str, str]:
        return short_texts(self.cleaned_data["keys"], n_value=20)
