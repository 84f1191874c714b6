"""The form of an entrance."""

from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.access import Person, permitted
from annotate.names import NameField
from annotate.requests import MainAndMore
from annotate.studies.models import Study

from .errors import EntranceRefused
from .models import Entrance, Outcome, Platform, new_code, new_slug
from .platforms import NAMES
from .questions import as_lines, read_lines
from .services import check_size, check_way_back, has_contact

_CODES = [f"code_{outcome}" for outcome in Outcome]


class EntranceForm(MainAndMore, forms.ModelForm[Entrance]):
    """Settings of an entrance. What is left empty is drawn, or as the platform usually has it.

    It asks for the study's contact if there is none.
    """

    MAIN = ("name", "platform", "places", "unit", "size", "contact")

    contact = forms.CharField(
        label=gettext_lazy("Whom participants can ask"),
        max_length=1000,
        help_text=gettext_lazy(
            "Name and address, for the page before consent. Kept with the study."
        ),
    )
    asked = forms.CharField(
        label=gettext_lazy("Questions of your own"),
        required=False,
        max_length=5000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy(
            "Up to five, one a line: before | choice | Which device is this? | laptop; telephone. "
            "Never ask for age, gender or income."
        ),
    )

    class Meta:
        model = Entrance
        field_classes = {"name": NameField, "group": NameField}
        fields = [
            *("name", "platform", "places", "unit", "size"),
            *("minutes", "limit_minutes", "n_checks", "checks_at_least", "after_checks"),
            *("min_width", "min_height", "input", "language"),
            *("reward", "pay_floor", "keeps_answers", "keep_days", "excludes", "asked"),
            *("group", "slug", "person_parameter", "submission_parameter", "way_back", *_CODES),
        ]

    def __init__(self, *args: Any, person: Person, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.instance.study = study
        self._may_send_anywhere = bool(getattr(person, "is_staff", False))
        for outcome in Outcome:
            field = self.fields[f"code_{outcome}"]
            field.required = False
            if self.instance.pk is None:
                field.initial = ""
        self.fields["slug"].required = False
        if has_contact(study):
            del self.fields["contact"]
        self.fields["asked"].initial = as_lines(self.instance.questions)
        language = self.fields["language"]
        language.choices = [("", _("that of the browser")), *settings.LANGUAGES]  # type: ignore[attr-defined]  # a choice field
        others = permitted(person, "annotate.follow_study", Study).exclude(pk=study.pk)
        self.fields["excludes"].queryset = others.filter(entrances__isnull=False).distinct()  # type: ignore[attr-defined]  # a model choice field

    def clean_asked(self) -> str:
        text: str = self.cleaned_data["asked"]
        self.instance.questions = read_lines(text)
        return text

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        same = Entrance.objects.filter(study=self.instance.study, name=name)
        if same.exclude(pk=self.instance.pk).exists():
            raise forms.ValidationError(_("The study has an entrance of this name already."))
        return name

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        names = NAMES.get(Platform(data["platform"])) if data.get("platform") else None
        if names is not None and self.instance.pk is None:
            data["person_parameter"] = data.get("person_parameter") or names.person
            data["submission_parameter"] = data.get("submission_parameter") or names.submission
            data["way_back"] = data.get("way_back") or names.way_back
        data["slug"] = data.get("slug") or self.instance.slug or new_slug()
        for name in _CODES:
            data[name] = data.get(name) or new_code()
        try:
            check_way_back(data.get("way_back", ""), may_send_anywhere=self._may_send_anywhere)
            if data.get("unit") == Entrance.Unit.PAIRS and {"size", "n_checks"} <= data.keys():
                check_size(data["size"], data["n_checks"])
        except EntranceRefused as refusal:
            self.add_error(refusal.field, str(refusal))
        return data
