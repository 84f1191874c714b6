"""Serializers of studies and their members."""

from typing import Any

from rest_framework import serializers

from annotate.datasets.models import Dataset, Image, Method

from .models import Membership, Study
from .services import misfits
from .settings import BY_NAME


class StudySerializer(serializers.ModelSerializer[Study]):
    dataset = serializers.SlugRelatedField[Dataset]("slug", read_only=True)
    methods = serializers.SlugRelatedField[Method]("slug", many=True, read_only=True)

    class Meta:
        model = Study
        fields = read_only_fields = [
            *("slug", "name", "dataset", "methods", "state", "created"),
            *BY_NAME,
        ]


class NewStudySerializer(serializers.ModelSerializer[Study]):
    """A study to set up; omitted settings get their default values."""

    dataset = serializers.SlugRelatedField("slug", queryset=Dataset.objects.none())
    methods = serializers.ListField(
        child=serializers.SlugField(max_length=120),
        min_length=2,
        max_length=100,
        help_text="Slugs of methods of the dataset.",
    )
    images = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=2**63 - 1),
        required=False,
        allow_null=True,
        min_length=1,
        max_length=100_000,
        help_text="Ids of images of the dataset; without it all that can be compared.",
    )

    class Meta:
        model = Study
        fields = ["name", "dataset", "methods", "images", *BY_NAME]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "datasets" in self.context:
            field = serializers.SlugRelatedField("slug", queryset=self.context["datasets"])
            self.fields["dataset"] = field

    def validate(self, sent: dict[str, Any]) -> dict[str, Any]:
        dataset: Dataset = sent["dataset"]
        slugs = set(sent["methods"])
        sent["methods"] = list(Method.objects.filter(dataset=dataset, slug__in=slugs))
        missing = sorted(slugs - {method.slug for method in sent["methods"]})
        if missing:
            raise serializers.ValidationError(
                {"methods": f"Not methods of {dataset}: {', '.join(missing)}."}
            )
        if found := misfits(sent, len(sent["methods"])):
            raise serializers.ValidationError(found)
        if sent.get("images") is not None:
            ids = set(sent["images"])
            sent["images"] = list(Image.objects.filter(dataset=dataset).in_bulk(ids).values())
            if len(sent["images"]) < len(ids):
                raise serializers.ValidationError(
                    {"images": f"{len(ids) - len(sent['images'])} are no images of {dataset}."}
                )
        return sent


class StateSerializer(serializers.Serializer[Any]):
    state = serializers.ChoiceField([Study.State.OPEN.value, Study.State.CLOSED.value])
    on_blank_pages = serializers.BooleanField(
        default=False, help_text="Open a study without photographs: outlines on blank pages."
    )


class MemberSerializer(serializers.ModelSerializer[Membership]):
    username = serializers.CharField(source="person.username")

    class Meta:
        model = Membership
        fields = read_only_fields = ["username", "role", "group", "created"]


class NewMemberSerializer(serializers.ModelSerializer[Membership]):
    username = serializers.CharField(max_length=150)

    class Meta:
        model = Membership
        fields = ["username", "role", "group"]


class StudyQuery(serializers.Serializer[Any]):
    state = serializers.ChoiceField(Study.State.choices, required=False)
    dataset = serializers.SlugField(required=False, max_length=120)
    order = serializers.ChoiceField(
        ["name", "-name", "created", "-created"], required=False, default="name"
    )
