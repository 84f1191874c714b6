"""Forms of a competition, whose fields follow from the rules of its settings, and of downloads."""

import json
from collections.abc import Mapping
from typing import Any, Final
from zoneinfo import available_timezones

from django import forms
from django.utils.translation import gettext_lazy as _

from annotate.names import NameField, address_of
from annotate.requests import ManyFiles
from protocols import registry
from protocols.codabench.settings import FIGURES, NEVER_GIVEN, Settings
from protocols.codabench.values import SettingsError, shipped

_MAX_PICTURE_BYTES: Final = 512 * 1024


def _field(rule: Mapping[str, Any]) -> forms.Field:
    """Return the field for a rule of ``settings.yaml``."""
    told = {"label": rule["label"], "help_text": rule.get("help", "")}
    told |= {"required": "default" not in rule, "initial": rule.get("default")}
    match rule:
        case {"offers": "protocols"}:
            return forms.ChoiceField(choices=_protocols, **told)
        case {"is": "list"}:
            ticks = forms.CheckboxSelectMultiple
            return forms.MultipleChoiceField(choices=FIGURES.items(), widget=ticks, **told)
        case {"choices": choices}:
            widget = forms.RadioSelect if rule.get("is_open") else forms.Select
            return forms.ChoiceField(choices=choices.items(), widget=widget, **told)
        case {"is": "whole"}:
            return forms.IntegerField(min_value=rule["least"], max_value=rule["most"], **told)
        case {"is": "switch"}:
            return forms.BooleanField(**told)
        case {"is": "mapping"}:
            return forms.JSONField(widget=forms.Textarea({"rows": 2}), **told)
        case {"as": "time"}:
            return forms.CharField(widget=forms.TextInput({"type": "datetime-local"}), **told)
        case {"lines": n}:
            return forms.CharField(widget=forms.Textarea({"rows": n}), **told)
    return forms.CharField(max_length=rule.get("most"), **told)


_RULES: Final = shipped("settings.yaml")


def _protocols() -> dict[str, str]:
    families = registry.families().values()
    known = [of for family in families for of in family if of.needs not in NEVER_GIVEN]
    return {"": "–"} | {of.slug: of.name for of in known}


class _RulesForm(forms.Form):
    """Fields for the rules of settings that have a label."""

    rules: Mapping[str, Any] = {}

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        own = {name: _field(rule) for name, rule in self.rules.items() if "label" in rule}
        self.fields = own | self.fields

    def content(self) -> dict[str, Any]:
        """Return the settings as YAML holds them, without those that are empty."""
        content = {}
        for name, value in self.cleaned_data.items():
            if name in self.rules and value not in ("", None):
                is_long = "lines" in self.rules[name]
                content[name] = "\n".join([*value.splitlines(), ""]) if is_long else value
        return content


class MainForm(_RulesForm):
    """The settings of a competition besides its protocols and phases."""

    rules = _RULES
    image = forms.ImageField(
        label=_("Picture"),
        help_text=_("At most 512 KB; without one there is a drawing."),
        required=False,
    )
    zone = forms.ChoiceField(
        label=_("Time zone"),
        choices=[(name, name) for name in sorted(available_timezones())],
        initial="UTC",
    )

    def clean_image(self) -> Any:
        picture = self.cleaned_data["image"]
        if picture and picture.size > _MAX_PICTURE_BYTES:
            raise forms.ValidationError(_("The picture is larger than 512 KB."))
        return picture


class _Row(_RulesForm):
    """A protocol or a phase; one without a name does not count."""

    named_by = "name"

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options | {"empty_permitted": True})

    def has_changed(self) -> bool:
        return bool(self[self.named_by].data)


class ProtocolRow(_Row):
    rules, named_by = _RULES["protocols"]["each"], "protocol"


class PhaseRow(_Row):
    rules = _RULES["phases"]["each"]

    def clean_images(self) -> Any:
        text = self.cleaned_data["images"]
        try:
            return json.loads(text) if text.startswith(("{", "[")) else text
        except (ValueError, RecursionError) as fault:
            said = _("This is not JSON: {fault}.").format(fault=fault)
            raise forms.ValidationError(said) from fault


class CompetitionForm:
    """The settings, rows of protocols, and phases."""

    def __init__(self, sent: Any = None, files: Any = None, *, initial: Mapping[str, Any]) -> None:
        self.main = MainForm(sent, files, initial=dict(initial))
        self.rows = {
            name: forms.formset_factory(row, extra=2)(sent, prefix=name, initial=initial[name])
            for name, row in (("protocols", ProtocolRow), ("phases", PhaseRow))
        }

    def is_valid(self) -> bool:
        return all([self.main.is_valid(), *(of.is_valid() for of in self.rows.values())])

    def _used(self, name: str) -> list[Any]:
        return [of for of in self.rows[name].forms if of.has_changed()]

    def content(self) -> dict[str, Any]:
        """Return the settings as YAML holds them."""
        content = self.main.content()
        if picture := content.get("image"):
            content["image"] = picture.name
        content |= {name: [of.content() for of in self._used(name)] for name in self.rows}
        for phase in content["phases"]:
            for name in ("start", "end"):
                local = phase[name].replace("T", " ")
                phase[name] = f"{local} {self.main.cleaned_data['zone']}"
        return content

    def add_error(self, refusal: SettingsError) -> None:
        """Show a refusal next to its field, or above the form if it has none."""
        form, name = self.main, {"packages": "docker_image"}.get(refusal.key, refusal.key)
        rows, *rest = refusal.key.split(".")
        if rest and rows in self.rows:
            form, name = self._used(rows)[int(rest[0]) - 1], ".".join(rest[1:])
        is_field = name in form.fields
        form.add_error(name if is_field else None, refusal.why if is_field else str(refusal))

    def show_utc(self, settings: Settings) -> None:
        """Show the checked times next to their fields."""
        for row, phase in zip(self._used("phases"), settings.phases, strict=True):
            for name in ("start", "end"):
                row[name].help_text = f"{phase[name]} UTC"


class DownloadsForm(forms.Form):
    """Files that an organiser downloads from Codabench, and the bundle."""

    submissions = ManyFiles(
        label=_("Submissions"),
        # A message names a file without content; the other files are read.
        allow_empty_file=True,
        help_text=_("bulk_submissions.zip, or zips of single submissions."),
    )
    results = forms.FileField(
        label=_("Results"),
        required=False,
        help_text=_("As JSON or CSV: then the submissions on the leaderboard count."),
    )
    bundle = forms.FileField(
        label=_("Bundle"), required=False, help_text=_("To score with its settings, and compare.")
    )


class ChoiceForm(forms.Form):
    """Whether a submission is loaded, and the name of its method."""

    take = forms.BooleanField(label=_("Load"), required=False)
    method = NameField(label=_("Method"), max_length=120, required=False)


class BaseChoices(forms.BaseFormSet[ChoiceForm]):
    def clean(self) -> None:
        names: set[str] = set()
        for form in self.forms:
            if form.cleaned_data.get("take"):
                name = address_of(form.cleaned_data.get("method", ""))
                if name in {"", *names}:
                    said = _("Another method has this name.") if name else _("Give it a name.")
                    form.add_error("method", said)
                names.add(name)
