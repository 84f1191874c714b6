"""Setting up a study."""

from typing import Any

from django import forms

from annotate.datasets.models import Dataset, Method
from protocols import registry

from .models import Role, Study

_WITH_DEFAULT = ("ground_truth", "break_minutes", "break_screens")


class StudyForm(forms.ModelForm):
    """The dataset is chosen before: its methods are what the form offers."""

    methods = forms.ModelMultipleChoiceField(
        Method.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "A study compares at least two methods. Choose two or more."},
    )

    class Meta:
        model = Study
        fields = [
            "name",
            "methods",
            "min_annotators",
            "strategy",
            "recall_question",
            "precision_question",
            "preference_question",
            "ground_truth",
            "match_protocol",
            "n_checks",
            "same_for_all",
            "keep_camera",
            "break_minutes",
            "break_screens",
        ]
        labels = {"min_annotators": "Annotators per image", "strategy": "Order of the pairs"}

    def __init__(self, *args: object, dataset: Dataset, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.fields["methods"].queryset = dataset.methods.all()
        self.fields["methods"].initial = [method.pk for method in dataset.methods.all()]
        protocols = [
            (slug, protocol.name)
            for slug, protocol in registry.PROTOCOLS.items()
            if protocol.has_matches and protocol.needs == "regions"
        ]
        self.fields["match_protocol"] = forms.ChoiceField(
            label=self.fields["match_protocol"].label,
            help_text=self.fields["match_protocol"].help_text,
            choices=[("", "not allowed"), *protocols],
            required=False,
        )
        for name in _WITH_DEFAULT:
            self.fields[name].required = False
            self.fields[name].initial = self.instance._meta.get_field(name).default

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        for name in _WITH_DEFAULT:
            if cleaned.get(name) in (None, "") and name not in self.errors:
                cleaned[name] = self.instance._meta.get_field(name).default
        return cleaned


class MemberForm(forms.Form):
    username = forms.CharField(max_length=150, label="User name")
    role = forms.ChoiceField(choices=Role)


class RoleForm(forms.Form):
    role = forms.ChoiceField(choices=Role)
