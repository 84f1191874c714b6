"""The form that releases a study's pictures."""

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotate.names import NameField

from .serializers import RELEASED_DAYS
from .services import check_host


class ProgramForm(forms.Form):
    """The annotator whose answers came from a program, with the program's name and the reason."""

    annotator = forms.ChoiceField(label=_("Annotator"))
    name = NameField(max_length=80, label=_("Name of the program"))
    reason = NameField(
        max_length=240, label=_("Reason"), help_text=_("Reports and the log show it.")
    )

    def __init__(self, data: Any, annotators: Mapping[int, str]) -> None:
        super().__init__(data)
        self.fields["annotator"].choices = [*annotators.items()]  # type: ignore[attr-defined]


class ReleaseForm(forms.Form):
    hosts = forms.CharField(
        max_length=1000,
        label=_("Hosts"),
        help_text=_(
            "Names without port, separated by spaces: 127.0.0.1 for a server on the machine of the "
            "program; “command” for a program of any other kind."
        ),
    )
    purpose = forms.CharField(max_length=300, label=_("Purpose"))
    days = forms.IntegerField(
        min_value=1, max_value=366, initial=RELEASED_DAYS, label=_("Days from now")
    )
    may_send = forms.BooleanField(
        label=_("I may send these photographs there"),
        error_messages={"required": _("Confirm that you may send these photographs there.")},
    )

    def clean_hosts(self) -> list[str]:
        hosts = re.split(r"[\s,]+", self.cleaned_data["hosts"].strip().lower())
        for host in hosts:
            check_host(host)
        return hosts

    def asked(self) -> dict[str, Any]:
        """Return what `services.release_pictures` takes."""
        given = self.cleaned_data
        until = timezone.now() + timedelta(days=given["days"])
        return {"hosts": given["hosts"], "purpose": given["purpose"], "until": until}
