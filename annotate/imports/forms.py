"""Forms of the load pages. The services check the rest."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from django import forms
from django.db.models import QuerySet
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.datasets.models import Dataset
from annotate.names import NameField
from annotate.requests import ManyFiles
from protocols.formats.problems import CODES
from protocols.formats.recognition.reading import FORMATS

from . import plans
from .models import DraftFile, FileKind, Finding, Import, Missing


class FilesForm(forms.Form):
    """Files to add to a load."""

    # A field, not the files of this form: Django removes fields from the class.
    files = ManyFiles(  # type: ignore[assignment]
        label=gettext_lazy("Files"),
        help_text=(
            gettext_lazy(
                "Zips of ground truth, photographs or results; tables of scores or "
                "people. The kind of each is detected and can be corrected."
            )
        ),
    )


class _IntoForm(forms.Form):
    """The dataset that files are loaded into; none for a new one."""

    dataset = forms.ModelChoiceField(
        Dataset.objects.none(),
        required=False,
        to_field_name="slug",
        label=gettext_lazy("Load into"),
        empty_label=gettext_lazy("a new dataset, or none for a list of people"),
    )

    def __init__(self, *args: Any, datasets: QuerySet[Dataset], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["dataset"].queryset = datasets  # type: ignore[attr-defined]  # a choice of rows


class StartForm(_IntoForm):
    """The target of a load. Files may be sent with it, or one by one afterwards."""

    files = ManyFiles(  # type: ignore[assignment]
        label=FilesForm.base_fields["files"].label,
        required=False,
        help_text=FilesForm.base_fields["files"].help_text,
    )


class TargetForm(_IntoForm):
    """The dataset that files are loaded into, or the name and origin of a new one."""

    name = NameField(label=gettext_lazy("Name of the dataset"), max_length=120, required=False)
    provenance = forms.CharField(
        label=gettext_lazy("Where it comes from"),
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    licence = forms.CharField(label=gettext_lazy("Licence"), required=False, max_length=200)


def _formats() -> Iterable[tuple[str, str]]:
    yield "", _("detected automatically")
    for slug, known in FORMATS.items():
        yield slug, known.name


class FileForm(forms.Form):
    """Kind, format and title of one file of a load."""

    kind = forms.ChoiceField(label=gettext_lazy("Kind"), choices=FileKind)
    format = forms.ChoiceField(label=gettext_lazy("Format"), choices=_formats, required=False)
    title = NameField(label=gettext_lazy("Method or protocol"), max_length=120, required=False)

    def __init__(self, sent: QueryDict | None, *, file: DraftFile, earlier: Import | None) -> None:
        known = file.format if file.format in FORMATS else ""
        initial = {"kind": file.kind, "format": known, "title": file.title}
        super().__init__(sent, initial=initial, prefix=f"file-{file.pk}")
        self.file = file
        # The receipt of an earlier load of the same content.
        self.earlier = earlier
        for field in self.fields.values():
            field.widget.attrs["aria-label"] = _("{field} of {file}").format(
                field=field.label, file=file.name
            )


_ANSWERS: Final[Mapping[bool | None, str]] = {True: "yes", False: "no", None: ""}
# The label of a question by its code, in the order in which those of a file are shown.
_LABELS: Final = {
    "N4": gettext_lazy("In {file} an image without a file means"),
    "S2": gettext_lazy("Scores above 1 in {file} are"),
    "F1": gettext_lazy("The lines of {file} are"),
    "F7": gettext_lazy("Encoding in which the texts of {file} look right"),
    "F2": gettext_lazy("{file} is read"),
}


class AnswersForm(forms.Form):
    """The questions of a report, with a field for each question of each file."""

    def __init__(
        self,
        sent: QueryDict | None,
        *,
        questions: Iterable[plans.OpenQuestion],
        offers: Iterable[Mapping[str, Any]],
    ) -> None:
        """Create the fields; ``offers`` are drawn readings, each of a ``file``, shown with their field."""
        super().__init__(sent)
        self._offers = list(offers)
        order = list(_LABELS)
        # A file of several methods asks the same for each.
        asked = {(of.file.pk, order.index(of.finding.code)): of for of in questions}
        self._asked = {f"{of.field}-{of.file.pk}": of for _place, of in sorted(asked.items())}
        if sum(of.field == "missing" for of in self._asked.values()) > 1:
            self._ask("all", _("In all of these files"), Missing.choices)
        for name, of in self._asked.items():
            label = _LABELS[of.finding.code].format(file=of.file.name)
            self._ask(name, label, _choices_of(of), _answer_to(of))

    def _ask(self, name: str, label: str, choices: Any, initial: str = "") -> None:
        self.fields[name] = forms.ChoiceField(
            label=label,
            required=False,
            widget=forms.RadioSelect,
            initial=initial,
            choices=choices,
        )

    def with_offers(self) -> list[tuple[Mapping[str, Any], forms.BoundField]]:
        """Return the drawn readings, each with its field."""
        names = {f"reading-{offer['file'].pk}": offer for offer in self._offers}
        return [(offer, self[name]) for name, offer in names.items() if name in self.fields]

    def without_offers(self) -> list[forms.BoundField]:
        drawn = {field.name for _offer, field in self.with_offers()}
        return [field for field in self if field.name not in drawn]

    def answers(self) -> dict[int, dict[str, Any]]:
        """Return the answers by file, without unanswered questions."""
        said: dict[int, dict[str, Any]] = {}
        for name, of in self._asked.items():
            answer: str | bool = self.cleaned_data[name]
            if of.field == "missing":
                answer = self.cleaned_data.get("all") or answer
            if answer:
                answer = answer == "yes" if of.field == "per_cent" else answer
                said.setdefault(of.file.pk, {})[of.field] = answer
        return said


def _choices_of(question: plans.OpenQuestion) -> list[Any]:
    if question.field == "per_cent":
        return [
            ("yes", _("per cent: divide all scores of the file by 100")),
            ("no", _("wrong: the file must be corrected")),
        ]
    if question.field == "format":
        named, others = plans.formats(question.finding)
        return [*named, (_("another"), others)] if named else others
    return question.choices


def _answer_to(question: plans.OpenQuestion) -> str:
    """Return the answer so far; empty without one."""
    if question.field == "per_cent":
        return _ANSWERS[question.file.per_cent]
    # A format that a person named does not fit the lines.
    return "" if question.field == "format" else getattr(question.file, question.field)


def _codes() -> Iterable[tuple[str, str]]:
    yield "", _("all")
    for code, name in CODES.items():
        yield code, f"{code} {name}"


class FindingsForm(forms.Form):
    """The filter of a report's findings."""

    severity = forms.ChoiceField(
        label=gettext_lazy("Severity"),
        choices=[("", gettext_lazy("all")), *Finding.Severity.choices],
        required=False,
    )
    code = forms.ChoiceField(
        label=gettext_lazy("Kind"),
        choices=_codes,
        required=False,
    )
    words = forms.CharField(
        label=gettext_lazy("Archive, entry or words"), required=False, max_length=100
    )

    def wanted(self) -> dict[str, str]:
        """Return the filter; if it is invalid, an empty one, which matches everything."""
        return self.cleaned_data if self.is_valid() else {}


class ConfirmForm(forms.Form):
    """Consent to replace existing results."""

    replace = forms.BooleanField(
        label=gettext_lazy("Replace these results; the old ones are not kept"), required=False
    )
