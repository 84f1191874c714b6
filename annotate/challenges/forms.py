"""Forms of organisers and teams."""

import zoneinfo
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Final

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.datasets.models import Image
from annotate.names import NameField
from protocols.formats.recognition.reading import FORMATS
from text_rankings.base.i18n import gettext

from .final import DIFFERENCE
from .models import Challenge, Entry, Team
from .services import drawn_hidden, fault_of_dates, named_hidden

_DATES: Final = ("opens", "freezes", "closes")
# The steps of the settings: title and fields.
PARTS: Final = {
    "about": (
        gettext_lazy("Texts and dates"),
        ("title", "text", "terms", "time_zone", *_DATES),
    ),
    "truth": (gettext_lazy("Hidden ground truth"), ("split", "share", "seed", "names")),
    "scores": (gettext_lazy("Scores"), ("protocols", "ties", "hidden_score", "final_rule")),
    "teams": (
        gettext_lazy("Teams and entries"),
        ("team_size", "entries_a_day", "entries_in_all", "max_mb", "sees", "keep_days"),
    ),
}
_SPLITS: Final = [
    ("visible", gettext_lazy("no image is hidden")),
    ("share", gettext_lazy("a share of the images is hidden, drawn by the seed")),
    ("names", gettext_lazy("these images are hidden")),
    ("hidden", gettext_lazy("all images are hidden")),
]


class ChallengeForm(forms.ModelForm[Challenge]):
    """A part of the settings of a challenge. Dates are in its own time zone."""

    protocols = forms.CharField(
        label=gettext_lazy("Protocols"),
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        help_text=gettext_lazy(
            "One a line, the first decides, as in: iou or iou min_iou=0.7 or deteval."
        ),
    )
    split = forms.ChoiceField(label=gettext_lazy("Hidden images"), choices=_SPLITS, required=False)
    share = forms.IntegerField(
        label=gettext_lazy("Hidden share in percent"),
        initial=50,
        min_value=1,
        max_value=99,
        required=False,
    )
    seed = forms.IntegerField(label=gettext_lazy("Seed"), initial=1, min_value=0, required=False)
    names = forms.CharField(
        label=gettext_lazy("Names of the hidden images"),
        required=False,
        max_length=1_000_000,
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false"}),
        help_text=gettext_lazy("Separated by spaces or lines."),
    )

    class Meta:
        model = Challenge
        fields = [
            *("title", "text", "terms", "split", "share", "seed", "names"),
            *("protocols", "ties", "time_zone", "opens", "freezes", "closes"),
            *("entries_a_day", "entries_in_all", "max_mb", "team_size"),
            *("sees", "hidden_score", "final_rule", "keep_days"),
        ]
        field_classes = {"title": NameField}
        widgets = {
            name: forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
            for name in _DATES
        }

    def __init__(self, *args: Any, part: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        challenge = self.instance
        zones = sorted(zoneinfo.available_timezones())
        self.fields["time_zone"] = forms.ChoiceField(
            label=self.fields["time_zone"].label, choices=[(zone, zone) for zone in zones]
        )
        self.fields = {name: self.fields[name] for name in PARTS[part][1]}
        self.initial["protocols"] = "\n".join(map(_line_of, challenge.protocols))
        if challenge.pk is None:
            return
        for name in _DATES:
            if (moment := getattr(challenge, name)) is not None:
                self.initial[name] = moment.astimezone(challenge.zone).replace(tzinfo=None)
        # The draw is not kept: the hidden images are.
        hidden = list(challenge.images_of("hidden").values_list("name", flat=True))
        self.initial["names"] = " ".join(hidden)
        self.initial["split"] = "names" if hidden else "visible"
        if Entry.objects.filter(team__challenge=challenge).exists():
            for name in self.fields.keys() & {"split", "share", "seed", "names", "protocols"}:
                self.fields[name].disabled = True

    def clean_protocols(self) -> list[tuple[str, dict[str, Any]]]:
        lines = [line.split() for line in self.cleaned_data["protocols"].splitlines()]
        return [(slug, dict(map(_parameter, given))) for slug, *given in filter(None, lines)]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        zone = zoneinfo.ZoneInfo(cleaned.get("time_zone") or "UTC")
        for name in _DATES:
            if isinstance(moment := cleaned.get(name), datetime):
                cleaned[name] = moment.replace(tzinfo=zone).astimezone(UTC)
        opens, freezes, closes = (cleaned.get(name) for name in _DATES)
        if opens and closes and (fault := fault_of_dates(opens, freezes, closes)):
            self.add_error(*fault)
        return cleaned

    @property
    def changed(self) -> dict[str, Any]:
        """The protocols and the hidden images, if this part has them and they may change.

        Raises ChallengeRefused for an unknown name.
        """
        may_change = {name for name, field in self.fields.items() if not field.disabled}
        return {
            **({"protocols": self.cleaned_data["protocols"]} if "protocols" in may_change else {}),
            **({"hidden": self._hidden()} if "split" in may_change else {}),
        }

    def _hidden(self) -> list[Image]:
        dataset, asked = self.instance.dataset, self.cleaned_data
        if asked.get("split") == "share":
            share = (asked.get("share") or 50) / 100
            return drawn_hidden(dataset, share=share, seed=asked.get("seed") or 0)
        if asked.get("split") == "names":
            return named_hidden(dataset, asked["names"].split())
        if asked.get("split") == "hidden":
            return list(dataset.images.in_order().defer("truth"))
        return []


def _line_of(protocol: dict[str, Any]) -> str:
    given = (f"{name}={value}" for name, value in protocol["parameters"].items())
    return " ".join([protocol["slug"], *given])


def _parameter(written: str) -> tuple[str, Any]:
    name, _equals, value = written.partition("=")
    if value in ("true", "false"):
        return name, value == "true"
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            continue
    return name, value


class TeamForm(forms.ModelForm[Team]):
    class Meta:
        model = Team
        fields = ["name"]
        labels = {"name": gettext_lazy("Name of the team")}
        field_classes = {"name": NameField}


class CodeForm(forms.Form):
    code = forms.CharField(label=gettext_lazy("Code of the team"), max_length=20)


def _formats() -> Iterable[tuple[str, str]]:
    yield "", _("detected automatically")
    for slug, known in FORMATS.items():
        yield slug, gettext(known.name)


class EntryForm(forms.ModelForm[Entry]):
    """An upload with what its team says of it."""

    file = forms.FileField(label=gettext_lazy("Results"))
    format = forms.ChoiceField(label=gettext_lazy("Format"), choices=_formats, required=False)

    class Meta:
        model = Entry
        fields = ["file", "format", "description", "link"]
        labels = {
            "description": gettext_lazy("Description"),
            "link": gettext_lazy("Link to a paper or code"),
        }


class DescriptionForm(forms.ModelForm[Entry]):
    class Meta:
        model = Entry
        fields = ["description", "link"]
        labels = EntryForm.Meta.labels


class OrganiserForm(forms.Form):
    username = forms.CharField(label=gettext_lazy("User name"), max_length=150)


class StudyForm(forms.Form):
    difference = forms.FloatField(
        label=gettext_lazy("Smallest difference between protocols"),
        initial=DIFFERENCE,
        min_value=0.005,
        max_value=1,
        help_text=gettext_lazy(
            "The share of pairs that one protocol orders otherwise than another, as people see it."
        ),
    )
