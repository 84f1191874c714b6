"""Settings and members of a study."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.names import NameField

from .models import Role, Study
from .services import misfits
from .settings import BY_NAME, SETTINGS, Lock, Part, StudyField, match_protocols, usual


class SettingsForm(forms.ModelForm[Study]):
    """Settings of a study. Those that give answers their meaning are read-only once it has any."""

    class Meta:
        model = Study
        fields = ["name", *BY_NAME]
        field_classes = {"name": NameField}
        labels = {
            "name": gettext_lazy("Name"),
            **{setting.name: setting.own_label for setting in SETTINGS if setting.own_label},
        }
        help_texts = {
            "may_repeat": gettext_lazy(
                "Careful insertion only. Not if annotators repeat mistakes on the same pair: the page "
                "of annotators of a study with repeated pairs says whether they do."
            )
        }
        widgets = {
            setting.name: forms.Textarea(attrs={"rows": 4})
            for setting in SETTINGS
            if setting.part is Part.WORDS
        }

    def __init__(self, *args: Any, is_answered: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "match_protocol" in self.fields:
            self.fields["match_protocol"] = self._protocols()
        is_opened = self.instance.pk is not None and self.instance.state != Study.State.DRAFT
        holds = {Lock.NEVER: False, Lock.OPENING: is_opened, Lock.FIRST_ANSWER: is_answered}
        for setting in self._settings:
            self.fields[setting.name].required = setting.is_required
            self.fields[setting.name].disabled = holds[setting.locks_at]

    @property
    def _settings(self) -> list[StudyField]:
        """The settings in this form."""
        return [setting for setting in SETTINGS if setting.name in self.fields]

    @property
    def groups(self) -> list[tuple[str, list[forms.BoundField]]]:
        """The fields, grouped by the parts of the settings page."""
        return [
            (
                str(part.label),
                [
                    *([self["name"]] if part is Part.STUDY else []),
                    *(self[setting.name] for setting in self._settings if setting.part is part),
                ],
            )
            for part in Part
        ]

    def _protocols(self) -> forms.ChoiceField:
        protocols = [
            (family, [(protocol.slug, protocol.name) for protocol in usable])
            for family, usable in match_protocols().items()
        ]
        return forms.ChoiceField(
            label=self.fields["match_protocol"].label,
            help_text=self.fields["match_protocol"].help_text,
            choices=[("", _("not allowed")), *protocols],
            required=False,
        )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        for setting in self._settings:
            if cleaned.get(setting.name) in (None, "") and setting.name not in self.errors:
                cleaned[setting.name] = usual(setting.name)
        for name, sentence in misfits(cleaned, self._n_methods(cleaned)).items():
            if name in self.fields and name not in self.errors:
                self.add_error(name, sentence)
        return cleaned

    def _n_methods(self, cleaned: Mapping[str, Any]) -> int | None:
        """Return how many methods take part, or None if none were chosen."""
        chosen = cleaned.get("methods")
        if chosen is not None:
            return len(chosen)
        return self.instance.methods.count() if self.instance.pk else None


class RoleForm(forms.Form):
    role = forms.ChoiceField(choices=Role, label=gettext_lazy("Role"))
    group = NameField(max_length=120, required=False, label=gettext_lazy("Group"))


class MemberForm(RoleForm):
    username = forms.CharField(max_length=150, label=gettext_lazy("User name"))
    field_order = ("username", "role", "group")
