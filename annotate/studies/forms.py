"""Settings and members of a study."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from protocols import registry

from .models import Role, Study
from .services import BREAKS, DRAWING, ENDING, LOCKED_BY_ANSWERS, SHARING, WORDS, misfits, usual

_WITH_DEFAULT = frozenset({"ground_truth", "n_known", "twin_iou", "ends_by", *DRAWING, *BREAKS})


class SettingsForm(forms.ModelForm[Study]):
    """Settings of a study. Once it has answers, those that give them their meaning are only shown."""

    class Meta:
        model = Study
        fields = ["name", *SHARING, *ENDING, *BREAKS, *WORDS, *LOCKED_BY_ANSWERS]
        labels = {
            "name": gettext_lazy("Name"),
            "recall_question": gettext_lazy("Recall question"),
            "precision_question": gettext_lazy("Precision question"),
            "preference_question": gettext_lazy("Preference question"),
            "min_annotators": gettext_lazy("Annotators per image, at least"),
            "max_annotators": gettext_lazy("Annotators per image, at most"),
            "strategy": gettext_lazy("Order of the pairs"),
        }
        widgets = {name: forms.Textarea(attrs={"rows": 4}) for name in WORDS}

    def __init__(self, *args: Any, is_answered: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "match_protocol" in self.fields:
            self.fields["match_protocol"] = self._protocols()
        for name in self.fields.keys() & _WITH_DEFAULT:
            self.fields[name].required = False
            self.fields[name].initial = usual(name)
        if is_answered:
            for name in LOCKED_BY_ANSWERS:
                self.fields[name].disabled = True
        if self.instance.pk is not None and self.instance.state != Study.State.DRAFT:
            for name in ENDING:
                self.fields[name].disabled = True

    @property
    def groups(self) -> list[tuple[str, list[forms.BoundField]]]:
        """The fields in the parts of the page of settings."""
        return [
            (_("The study"), [self[name] for name in ("name", *SHARING)]),
            (_("How it ends"), [self[name] for name in ENDING]),
            (_("What annotators read"), [self[name] for name in WORDS]),
            (_("Breaks"), [self[name] for name in BREAKS]),
            (_("What gives answers their meaning"), [self[name] for name in LOCKED_BY_ANSWERS]),
        ]

    def _protocols(self) -> forms.ChoiceField:
        by_family = {
            family: [
                (protocol.slug, protocol.name)
                for protocol in protocols
                if protocol.has_matches and protocol.needs == "regions"
            ]
            for family, protocols in registry.families().items()
        }
        protocols = [(family, usable) for family, usable in by_family.items() if usable]
        return forms.ChoiceField(
            label=self.fields["match_protocol"].label,
            help_text=self.fields["match_protocol"].help_text,
            choices=[("", _("not allowed")), *protocols],
            required=False,
        )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        for name in self.fields.keys() & _WITH_DEFAULT:
            if cleaned.get(name) in (None, "") and name not in self.errors:
                cleaned[name] = usual(name)
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


class MemberForm(forms.Form):
    username = forms.CharField(max_length=150, label=gettext_lazy("User name"))
    role = forms.ChoiceField(choices=Role, label=gettext_lazy("Role"))


class RoleForm(forms.Form):
    role = forms.ChoiceField(choices=Role, label=gettext_lazy("Role"))
