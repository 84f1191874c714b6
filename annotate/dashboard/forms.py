"""Forms of the log, of a dataset's scenes, and of a corrected ground truth."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, time
from typing import Any, Final

from django import forms
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.audit.models import Act, AuditQuerySet
from annotate.datasets.mending import MAX_REASON, has_area
from protocols.core.errors import RegionError
from protocols.core.regions import Region


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


class RegionForm(forms.Form):
    """One region of a ground truth; without coordinates, none."""

    points = forms.CharField(label=gettext_lazy("Coordinates"), max_length=20_000, required=False)
    text = forms.CharField(label=gettext_lazy("Text"), max_length=2000, strip=False, required=False)
    ignored = forms.BooleanField(label=gettext_lazy("Ignored"), required=False)
    removed = forms.BooleanField(label=gettext_lazy("Delete"), required=False)

    def clean_points(self) -> tuple[float, ...]:
        """Return x and y of each corner; four numbers are left, top, right and bottom of a box."""
        given = self.cleaned_data["points"]
        if given == self.initial.get("points"):
            # The numbers that are stored may have more digits.
            return self.initial["region"].points  # type: ignore[no-any-return]
        try:
            numbers = tuple(map(float, given.replace(",", " ").replace(";", " ").split()))
            if not numbers:
                return ()
            region = Region.from_box(*numbers) if len(numbers) == 4 else Region(numbers)
        except (ValueError, RegionError) as fault:
            words = _("Type x and y of three corners or more, or left, top, right and bottom.")
            raise forms.ValidationError(words) from fault
        if not has_area(region):
            raise forms.ValidationError(_("The region has no area."))
        return region.points

    def region(self) -> Region | None:
        """Return the region of a valid form; None if there is none, or it is to be deleted."""
        said = self.cleaned_data
        if not said.get("points") or said["removed"]:
            return None
        before: Region | None = self.initial.get("region")
        if before is None:
            return Region(said["points"], text=said["text"] or None, ignored=said["ignored"])
        text = before.text if said["text"] == (before.text or "") else said["text"] or None
        after = replace(before, text=text, ignored=said["ignored"])
        if said["points"] != before.points:
            # A mask would be of the earlier outline.
            after = replace(after, points=said["points"], pixels=None)
        return after


# Rows for new regions.
N_NEW: Final = 4
RegionForms = forms.formset_factory(RegionForm, extra=N_NEW, max_num=1000)


def initial_of(regions: Iterable[Region]) -> list[dict[str, Any]]:
    """Return what the forms of regions begin with."""
    return [
        {
            "region": region,
            "points": ", ".join(f"{value:.10g}" for value in region.points),
            "text": region.text or "",
            "ignored": region.ignored,
        }
        for region in regions
    ]


class ReasonForm(forms.Form):
    """Why a ground truth is corrected, and the version that was shown."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=MAX_REASON,
        error_messages={"required": gettext_lazy("Say why; the log keeps it.")},
    )
    version = forms.IntegerField(min_value=1, widget=forms.HiddenInput)


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
