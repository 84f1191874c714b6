"""Forms of the log and of a dataset's scenes."""

from datetime import datetime, time
from typing import Any

from django import forms
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.audit.models import Act, AuditQuerySet


class ScenesForm(forms.Form):
    """Scenes by the images' names or by a file; neither removes them all."""

    separator = forms.CharField(
        label=gettext_lazy("The scene is the part of an image's name before the last"),
        max_length=20,
        strip=False,
        required=False,
        help_text=gettext_lazy("For example / for folders, or _ if walk-3_017 shows walk-3."),
    )
    file = forms.FileField(
        label=gettext_lazy("Or a CSV file with the columns image and scene"), required=False
    )


class LogForm(forms.Form):
    """The filters above the log; empty and invalid fields are ignored."""

    person = forms.CharField(max_length=150, required=False, label=gettext_lazy("Person"))
    act = forms.ChoiceField(
        choices=[("", gettext_lazy("everything")), *Act.choices],
        required=False,
        label=gettext_lazy("Act"),
    )
    since = forms.DateField(
        required=False, label=gettext_lazy("From"), widget=forms.DateInput(attrs={"type": "date"})
    )
    until = forms.DateField(
        required=False, label=gettext_lazy("Until"), widget=forms.DateInput(attrs={"type": "date"})
    )
    # The page starts after this entry.
    before = forms.IntegerField(min_value=1, required=False, widget=forms.HiddenInput)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        since, until = cleaned.get("since"), cleaned.get("until")
        if since and until and since > until:
            self.add_error("until", _("This day is before the first one."))
        return cleaned

    def chosen(self, entries: AuditQuerySet) -> AuditQuerySet:
        """Return the entries that pass the filters; faulty filters are ignored."""
        self.is_valid()
        asked = self.cleaned_data
        if person := asked.get("person"):
            entries = entries.filter(Q(actor__username=person) | Q(about__username=person))
        if act := asked.get("act"):
            entries = entries.filter(act=act)
        if since := asked.get("since"):
            entries = entries.filter(created__gte=_moment(since, time.min))
        if until := asked.get("until"):
            entries = entries.filter(created__lte=_moment(until, time.max))
        if before := asked.get("before"):
            entries = entries.filter(pk__lt=before)
        return entries


def _moment(day: Any, of_day: time) -> datetime:
    return timezone.make_aware(datetime.combine(day, of_day))
