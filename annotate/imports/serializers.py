"""Loads as the API returns and accepts them."""

from typing import Any, cast

from django import forms
from django.contrib.auth.models import User
from rest_framework import serializers

from annotate.datasets.models import Dataset
from annotate.jobs.serializers import JobSerializer
from annotate.names import NameField, seen
from protocols.formats.problems import CODES
from protocols.formats.recognition.reading import ENCODINGS, FORMATS

from .forms import FileForm, FindingsForm, TargetForm
from .models import Draft, DraftFile, FileKind, Finding, Import, Missing
from .plans import OpenQuestion, Plan


class Extended:
    """A row with more attributes, for a serializer that shows both."""

    def __init__(self, row: object, **more: object) -> None:
        self._row = row
        self.__dict__.update(more)

    def __getattr__(self, name: str) -> object:
        return getattr(self._row, name)


class LoadFileSerializer(serializers.ModelSerializer[DraftFile]):
    """An uploaded file and its guessed kind."""

    counts = serializers.DictField(help_text="Counts from the check.")
    missing = serializers.CharField(
        help_text="What an image without a result file means; empty: not said."
    )
    per_cent = serializers.BooleanField(allow_null=True)

    class Meta:
        model = DraftFile
        fields = read_only_fields = (
            *("id", "name", "bytes", "sha256", "kind", "format", "title", "reason"),
            *("missing", "per_cent", "reading", "encoding", "counts"),
        )


class QuestionSerializer(serializers.Serializer[OpenQuestion]):
    """A question that only a person can answer, through “answers”."""

    file = serializers.IntegerField(source="file.pk")
    code = serializers.CharField(source="finding.code")
    found = serializers.CharField(source="finding.found")
    is_answered = serializers.BooleanField()
    choices = serializers.SerializerMethodField(
        help_text="What may be answered, each with its words; empty where it is yes or no."
    )

    def get_choices(self, question: OpenQuestion) -> dict[str, str]:
        return dict(question.choices)


class PlanSerializer(serializers.Serializer[Plan]):
    """The effect of confirming and the obstacles to it, in sentences."""

    added = serializers.ListField(child=serializers.CharField())
    replaced = serializers.ListField(child=serializers.CharField())
    left_alone = serializers.ListField(child=serializers.CharField())
    obstacles = serializers.ListField(child=serializers.CharField())


class LoadSerializer(serializers.ModelSerializer[Draft]):
    """A load in progress."""

    dataset = serializers.SlugRelatedField[Dataset]("slug", read_only=True, allow_null=True)
    person = serializers.SlugRelatedField[User]("username", read_only=True, allow_null=True)

    class Meta:
        model = Draft
        fields = read_only_fields = (
            *("id", "state", "dataset", "name", "provenance", "licence"),
            *("person", "created", "changed"),
        )


class WholeLoadSerializer(LoadSerializer):
    """A load with its files, its progress, its questions, and its effect."""

    files = LoadFileSerializer(many=True, read_only=True)
    job = JobSerializer(read_only=True, allow_null=True)
    n_findings = serializers.DictField(
        child=serializers.IntegerField(), help_text="Findings of the check by severity."
    )
    questions = QuestionSerializer(many=True)
    plan = PlanSerializer(allow_null=True, help_text="Null until it is checked.")
    receipts = serializers.PrimaryKeyRelatedField[Import](many=True, read_only=True)

    class Meta:
        model = Draft
        fields = read_only_fields = (
            *LoadSerializer.Meta.fields,
            *("files", "job", "n_findings", "questions", "plan", "receipts"),
        )


def _text_of(form: type[forms.Form], name: str, help_text: str = "") -> serializers.CharField:
    """Return a field for an optional text, at most as long as the page's form accepts."""
    field = cast(forms.CharField, form.base_fields[name])
    return serializers.CharField(
        max_length=field.max_length,
        required=False,
        allow_blank=True,
        help_text=help_text,
        validators=[seen] if isinstance(field, NameField) else None,
    )


class DescriptionSerializer(serializers.Serializer[None]):
    """Name and origin of the new dataset; fields left out stay as they are."""

    name = _text_of(TargetForm, "name")
    provenance = _text_of(TargetForm, "provenance")
    licence = _text_of(TargetForm, "licence")


class NewLoadSerializer(DescriptionSerializer):
    """A load into a dataset, existing or new."""

    dataset = serializers.SlugRelatedField[Dataset](
        "slug",
        queryset=Dataset.objects.none(),
        required=False,
        allow_null=True,
        help_text="Without it a new dataset, or people alone.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "datasets" in self.context:
            # The types do not know which field it is.
            self.fields["dataset"].queryset = self.context["datasets"]  # type: ignore[attr-defined]


class UploadSerializer(serializers.Serializer[None]):
    file = serializers.FileField(max_length=255, allow_empty_file=True)


class FileChangeSerializer(serializers.Serializer[None]):
    """Corrections to the guess about a file; fields left out stay as they are."""

    kind = serializers.ChoiceField(FileKind.choices, required=False)
    format = serializers.ChoiceField(
        ["", *FORMATS], required=False, help_text="Empty: found out from the content."
    )
    title = _text_of(FileForm, "title", "Of results the method.")


class FileAnswerSerializer(serializers.Serializer[None]):
    file = serializers.IntegerField(min_value=1, max_value=2**63 - 1)
    missing = serializers.ChoiceField(
        Missing.choices, required=False, help_text="What an image without a result file means."
    )
    per_cent = serializers.BooleanField(
        required=False, help_text="Whether scores above 1 are per cent."
    )
    format = serializers.ChoiceField(
        list(FORMATS),
        required=False,
        help_text="How a file is written that can be read in two ways.",
    )
    reading = serializers.CharField(
        max_length=40,
        required=False,
        help_text="How results are to be read that fit far better another way: as-read, or what is offered.",
    )
    encoding = serializers.ChoiceField(
        list(ENCODINGS), required=False, help_text="The encoding of texts that are not UTF-8."
    )


class AnswersSerializer(serializers.Serializer[None]):
    # The framework's types have no bound for a list of serializers.
    answers = FileAnswerSerializer(many=True, max_length=200)  # type: ignore[call-arg]


class ConfirmSerializer(serializers.Serializer[None]):
    replace = serializers.BooleanField(
        required=False, default=False, help_text="Consent to what the plan would replace."
    )


class FindingSerializer(serializers.ModelSerializer[Finding]):
    """One fault or question that the check found, with its place."""

    class Meta:
        model = Finding
        fields = read_only_fields = (
            *("id", "file", "severity", "code", "archive", "entry", "line", "column"),
            *("text", "found", "expected", "action"),
        )


class FindingQuery(serializers.Serializer[None]):
    severity = serializers.ChoiceField(Finding.Severity.choices, required=False)
    code = serializers.ChoiceField(list(CODES), required=False)
    words = _text_of(FindingsForm, "words")


class ReceiptSerializer(serializers.ModelSerializer[Import]):
    """One load: the person, the time, the files and the results."""

    dataset = serializers.SlugRelatedField[Dataset]("slug", read_only=True, allow_null=True)
    person = serializers.SlugRelatedField[User]("username", read_only=True, allow_null=True)
    undone_by = serializers.SlugRelatedField[User]("username", read_only=True, allow_null=True)
    files = serializers.ListField(child=serializers.DictField())
    counts = serializers.DictField()
    warnings = serializers.ListField(child=serializers.CharField())
    replaced = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = Import
        fields = read_only_fields = (
            *("id", "kind", "dataset", "dataset_name", "person", "created"),
            *("files", "counts", "warnings", "replaced", "undone", "undone_by"),
        )


class WholeReceiptSerializer(ReceiptSerializer):
    obstacles = serializers.ListField(
        child=serializers.CharField(), help_text="What stands against undoing it."
    )

    class Meta:
        model = Import
        fields = read_only_fields = (*ReceiptSerializer.Meta.fields, "obstacles")


class ReceiptQuery(serializers.Serializer[None]):
    dataset = serializers.SlugField(required=False, max_length=120)
    kind = serializers.ChoiceField(Import.Kind.choices, required=False)
