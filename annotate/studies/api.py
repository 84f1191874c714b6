"""Studies: setup, opening and closing, members."""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from annotate.access import permitted
from annotate.api.idempotency import idempotent
from annotate.api.views import ApiView, ListView, OneView
from annotate.datasets.models import Dataset, Image, Method
from annotate.requests import require

from . import services
from .models import Membership, Study
from .services import misfits
from .settings import BY_NAME
from .shortcuts import followed


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


class StudyList(ListView):
    """The studies you follow as a researcher or an admin; admins may set one up."""

    serializer_class = StudySerializer
    query_serializer_class = StudyQuery
    filters = (("state", "state"), ("dataset", "dataset__slug"))

    def get_ordering(self) -> tuple[str, ...]:
        return (self.query()["order"], "pk")

    def get_queryset(self) -> QuerySet[Study]:
        studies = permitted(self.request.user, "annotate.follow_study", Study)
        studies = studies.filter(**self.conditions())
        return studies.select_related("dataset").prefetch_related("methods")

    @extend_schema(request=NewStudySerializer, responses={201: StudySerializer})
    @idempotent
    def post(self, request: Request) -> Response:
        """Set up a study. Images with results of fewer than two of the methods are left out."""
        require(request.user, "annotate.load_data")
        seen = permitted(request.user, "annotate.see_dataset", Dataset)
        study = services.create_study(**self.sent(NewStudySerializer, datasets=seen))
        address = reverse("api:study", args=[study.slug], request=request)
        return Response(self.shown(StudySerializer, study), 201, headers={"Location": address})


class StudyDetail(OneView):
    """One study you follow."""

    serializer_class = StudySerializer
    lookup_field = "slug"

    def get_queryset(self) -> QuerySet[Study]:
        studies = permitted(self.request.user, "annotate.follow_study", Study)
        return studies.select_related("dataset").prefetch_related("methods")


class StudyState(ApiView):
    @extend_schema(request=StateSerializer, responses=StudySerializer)
    def put(self, request: Request, slug: str) -> Response:
        """Open a study for answers, or close it; the answers are kept (admins)."""
        require(request.user, "annotate.load_data")
        study = followed(request, slug)
        services.set_state(study=study, **self.sent(StateSerializer))
        return Response(self.shown(StudySerializer, study))


class MemberList(ListView):
    """The members of a study; admins may add one."""

    serializer_class = MemberSerializer
    ordering = ("pk",)

    def get_queryset(self) -> QuerySet[Membership]:
        require(self.request.user, "annotate.load_data")
        study = followed(self.request, self.kwargs["slug"])
        return study.memberships.select_related("person")

    @extend_schema(request=NewMemberSerializer, responses={201: MemberSerializer})
    @idempotent
    def post(self, request: Request, slug: str) -> Response:
        """Add a member; a second request changes nothing."""
        require(request.user, "annotate.load_data")
        study = followed(request, slug)
        membership = services.add_member(study=study, **self.sent(NewMemberSerializer))
        return Response(self.shown(MemberSerializer, membership), 201)
