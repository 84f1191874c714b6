"""Forms for the steps that set up a study."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from django import forms
from django.contrib.auth.models import User
from django.forms import ModelMultipleChoiceField
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from annotate.datasets.models import Dataset, Method, Selection
from annotate.names import NameField
from annotate.requests import MainAndMore
from annotate.studies.errors import StudyRefused
from annotate.studies.forms import SettingsForm
from annotate.studies.models import Role, Study
from annotate.studies.services import free_slug
from annotate.studies.settings import SETTINGS, of_step

from .image_filters import Filter

# Above this number, people are entered by name.
MAX_PEOPLE_LISTED: Final = 100


class DataForm(forms.ModelForm[Study]):
    """The name of a study, and its methods."""

    methods: ModelMultipleChoiceField[Method] = ModelMultipleChoiceField(
        Method.objects.none(),
        label=gettext_lazy("Methods"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={
            "required": gettext_lazy("A study compares at least two methods. Choose two or more.")
        },
    )

    class Meta:
        model = Study
        fields = ["name"]
        field_classes = {"name": NameField}
        labels = {"name": gettext_lazy("Name")}
        error_messages = {"name": {"required": gettext_lazy("Give the study a name.")}}

    def __init__(self, *args: Any, offered: Iterable[Method], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        methods = self.fields["methods"]
        if isinstance(methods, ModelMultipleChoiceField):
            methods.queryset = Method.objects.filter(pk__in=[method.pk for method in offered])

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        try:
            free_slug(name)
        except StudyRefused as refusal:
            raise forms.ValidationError(str(refusal)) from refusal
        return name

    def clean_methods(self) -> list[Method]:
        methods = list(self.cleaned_data["methods"])
        if len(methods) < 2:
            raise forms.ValidationError(
                _("A study compares at least two methods. Choose two or more.")
            )
        return methods


class StepForm(MainAndMore, SettingsForm):
    """Base of the forms for a part of the settings."""

    MAIN = [setting.name for setting in SETTINGS if setting.is_main]

    def __init__(self, *args: Any, n_methods: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._n = n_methods

    def _n_methods(self, cleaned: Mapping[str, Any]) -> int:
        return self._n


class DesignForm(StepForm):
    class Meta(SettingsForm.Meta):
        fields = [*of_step("design"), "seed"]
        labels = {**SettingsForm.Meta.labels, "seed": gettext_lazy("Seed")}
        help_texts = {
            **SettingsForm.Meta.help_texts,
            "seed": gettext_lazy(
                "Sides and orders are drawn from it; equal seeds give equal studies."
            ),
        }


class LookForm(StepForm):
    class Meta(SettingsForm.Meta):
        fields = of_step("look")


class ImageFilterForm(forms.Form):
    """The filter above the pictures. An unreadable value is reported and filters nothing."""

    words = forms.CharField(max_length=100, required=False, label=gettext_lazy("Name contains"))
    regions_from = forms.IntegerField(
        min_value=0, required=False, label=gettext_lazy("Regions, from")
    )
    regions_to = forms.IntegerField(min_value=0, required=False, label=gettext_lazy("to"))
    side_from = forms.FloatField(
        min_value=0, required=False, label=gettext_lazy("Smallest, px, from")
    )
    side_to = forms.FloatField(min_value=0, required=False, label=gettext_lazy("to"))
    show = forms.ChoiceField(
        choices=[
            ("", pgettext_lazy("images", "all")),
            ("chosen", pgettext_lazy("images", "chosen")),
            ("left", pgettext_lazy("images", "left out")),
            ("photograph", gettext_lazy("with a photograph")),
        ],
        required=False,
        label=gettext_lazy("Show"),
    )
    order = forms.ChoiceField(required=False, label=gettext_lazy("Order"))

    selection = forms.ModelChoiceField(
        Selection.objects.none(),
        required=False,
        label=gettext_lazy("Selection"),
        empty_label=pgettext_lazy("images", "all"),
    )

    def __init__(
        self,
        *args: Any,
        dataset: Dataset,
        has_regions: bool,
        has_scores: bool,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.fields["selection"].queryset = dataset.selections.all()  # type: ignore[attr-defined]
        if not dataset.selections.exists():
            del self.fields["selection"]
        orders = [("", _("as in the dataset"))]
        if has_regions:
            orders += [("regions", _("most regions")), ("small", _("smallest region"))]
        else:
            for name in ("regions_from", "regions_to", "side_from", "side_to"):
                del self.fields[name]
        if has_scores:
            orders.append(("apart", _("protocols differ most")))
        order = self.fields["order"]
        if isinstance(order, forms.ChoiceField):
            order.choices = orders

    def wanted(self) -> Filter:
        self.is_valid()
        asked = dict(self.cleaned_data)
        if selection := asked.pop("selection", None):
            asked["among"] = frozenset(selection.images.values_list("pk", flat=True))
        return Filter(**{name: value for name, value in asked.items() if value != ""})


class RandomForm(forms.Form):
    n = forms.IntegerField(
        min_value=1,
        label=gettext_lazy("At random"),
        error_messages={"required": gettext_lazy("Enter the number of images.")},
    )
    seed = forms.IntegerField(
        min_value=0, max_value=2**31 - 1, label=gettext_lazy("Seed"), initial=1
    )


_ROLES: Final = {
    Role.ANNOTATOR: gettext_lazy("Annotators"),
    Role.RESEARCHER: gettext_lazy("Researchers"),
}
_OTHER_ROLES: Final = {
    Role.ANNOTATOR: gettext_lazy("Other annotators"),
    Role.RESEARCHER: gettext_lazy("Other researchers"),
}


class PeopleForm(forms.Form):
    """Members: chosen from a list, or named if the list is too short."""

    def __init__(self, *args: Any, listed: Iterable[User], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._listed = User.objects.filter(pk__in=[person.pk for person in listed])
        for role in Role:
            self.fields[role.value] = _PeopleField(
                self._listed.order_by("username"),
                required=False,
                widget=forms.CheckboxSelectMultiple,
                label=_ROLES[role],
            )
            self.fields[f"{role.value}_names"] = forms.CharField(
                required=False,
                max_length=10_000,
                label=_OTHER_ROLES[role],
                help_text=_("User names, separated by commas or spaces."),
            )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        for role in Role:
            name = f"{role.value}_names"
            written = dict.fromkeys(cleaned.get(name, "").replace(",", " ").split())
            people = {
                person.username: person
                for person in User.objects.filter(username__in=list(written), is_active=True)
            }
            unknown = [username for username in written if username not in people]
            if unknown:
                shown = ", ".join(f"“{username}”" for username in unknown[:5])
                self.add_error(
                    name,
                    _(
                        "There is no user named {shown}. Invite them once the study is set up."
                    ).format(shown=shown),
                )
            cleaned[role.value] = list(
                dict.fromkeys([*cleaned.get(role.value, ()), *people.values()])
            )
        return cleaned

    def people(self) -> dict[str, list[User]]:
        return {role.value: self.cleaned_data[role.value] for role in Role}


class _PeopleField(ModelMultipleChoiceField[User]):
    def label_from_instance(self, obj: User) -> str:
        full = obj.get_full_name()
        return f"{full} ({obj.get_username()})" if full else obj.get_username()
