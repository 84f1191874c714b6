"""Setting up a study."""

from typing import Any

from django import forms
from django.forms import ModelMultipleChoiceField

from annotate.datasets.models import Dataset, Image, Method
from protocols import registry

from .models import Role, Study
from .services import BREAKS, LOCKED_BY_ANSWERS, SHARING, too_few, usual

_WITH_DEFAULT = ("ground_truth", *BREAKS)


class SettingsForm(forms.ModelForm[Study]):
    """Settings of a study. Once it has answers, those that give them their meaning are only shown."""

    class Meta:
        model = Study
        fields = ["name", *SHARING, *BREAKS, *LOCKED_BY_ANSWERS]
        labels = {
            "min_annotators": "Annotators per image, at least",
            "max_annotators": "Annotators per image, at most",
            "strategy": "Order of the pairs",
        }

    def __init__(self, *args: Any, is_answered: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
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
            self.fields[name].initial = usual(name)
        if is_answered:
            for name in LOCKED_BY_ANSWERS:
                self.fields[name].disabled = True

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        for name in _WITH_DEFAULT:
            if cleaned.get(name) in (None, "") and name not in self.errors:
                cleaned[name] = usual(name)
        least, most = (cleaned.get(name) for name in SHARING)
        if least and most and most < least:
            self.add_error("max_annotators", too_few(least))
        return cleaned


class StudyForm(SettingsForm):
    """A new study. The dataset is chosen before: its methods and images are what the form offers."""

    methods: ModelMultipleChoiceField[Method] = ModelMultipleChoiceField(
        Method.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "A study compares at least two methods. Choose two or more."},
    )
    images = forms.CharField(
        label="Images",
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="Their names, one a line. Empty: every image on which two methods have results.",
    )

    class Meta(SettingsForm.Meta):
        fields = ["name", "methods", "images", *SHARING, *BREAKS, *LOCKED_BY_ANSWERS]

    def __init__(
        self, *args: Any, dataset: Dataset, like: Study | None = None, **kwargs: Any
    ) -> None:
        """Offer what is in the dataset; ``like`` is a study of it whose settings are filled in."""
        if like is not None:
            kwargs["initial"] = _settings_of(like) | kwargs.get("initial", {})
        super().__init__(*args, **kwargs)
        self._dataset = dataset
        methods = self.fields["methods"]
        if isinstance(methods, ModelMultipleChoiceField):
            methods.queryset = dataset.methods.all()
        chosen = dataset if like is None else like
        methods.initial = [method.pk for method in chosen.methods.all()]

    def clean_images(self) -> list[Image] | None:
        names = dict.fromkeys(line.strip() for line in self.cleaned_data["images"].splitlines())
        names.pop("", None)
        if not names:
            return None
        image_by_name = {image.name: image for image in self._dataset.images.filter(name__in=names)}
        unknown = [name for name in names if name not in image_by_name]
        if unknown:
            shown = ", ".join(unknown[:5]) + (" and others" if len(unknown) > 5 else "")
            raise forms.ValidationError(
                f"{self._dataset} has no image named {shown}. Names stand on the dataset's page."
            )
        return [image_by_name[name] for name in names]


def _settings_of(study: Study) -> dict[str, Any]:
    """Return initial values for a copy of this study: its settings and, if it has not all, its images."""
    names = list(Image.objects.filter(studies=study).in_order().values_list("name", flat=True))
    is_whole = len(names) == study.dataset.images.count()
    return {
        "name": f"{study.name} (copy)"[:120],
        "images": "" if is_whole else "\n".join(names),
        **{name: getattr(study, name) for name in (*SHARING, *LOCKED_BY_ANSWERS, *BREAKS)},
    }


class MemberForm(forms.Form):
    username = forms.CharField(max_length=150, label="User name")
    role = forms.ChoiceField(choices=Role)


class RoleForm(forms.Form):
    role = forms.ChoiceField(choices=Role)
