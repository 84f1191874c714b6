"""Datasets, their images with ground truth and photographs, methods and results."""

from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from annotate.access import permitted
from annotate.api.fields import Regions
from annotate.api.idempotency import idempotent
from annotate.api.views import AnyType, ApiView, ListView, OneView, SignedInRequest

from . import selectors, views
from .mending import version_of
from .models import Dataset, Image, Method, Result, Selection
from .selections import deletable, keep_selection
from .shortcuts import seen_dataset


class DatasetSerializer(serializers.ModelSerializer[Dataset]):
    n_images = serializers.IntegerField()
    n_methods = serializers.IntegerField()

    class Meta:
        model = Dataset
        fields = read_only_fields = [
            "slug",
            "name",
            "line_format",
            "box_convention",
            "provenance",
            "licence",
            "created",
            "n_images",
            "n_methods",
        ]


class MethodSerializer(serializers.ModelSerializer[Method]):
    class Meta:
        model = Method
        fields = read_only_fields = ["slug", "name", "created"]


class ImageSerializer(serializers.ModelSerializer[Image]):
    dataset = serializers.SlugRelatedField[Dataset]("slug", read_only=True)
    photograph = serializers.SerializerMethodField(help_text="Its address; null without one.")

    class Meta:
        model = Image
        fields = read_only_fields = [
            "id",
            "dataset",
            "name",
            "position",
            "width",
            "height",
            "photograph",
        ]

    @extend_schema_field(serializers.URLField(allow_null=True))
    def get_photograph(self, image: Image) -> str | None:
        return photograph_address(image, self.context["request"])


class ImageWithTruthSerializer(ImageSerializer):
    truth = Regions(source="truth_regions", help_text="The ground truth.")
    truth_version = serializers.SerializerMethodField(help_text="From 1; corrections add 1.")

    class Meta(ImageSerializer.Meta):
        fields = read_only_fields = [*ImageSerializer.Meta.fields, "truth", "truth_version"]

    def get_truth_version(self, image: Image) -> int:
        return version_of(image)


class ResultSerializer(serializers.ModelSerializer[Result]):
    image_name = serializers.CharField(source="image.name")
    method = serializers.SlugRelatedField[Method]("slug", read_only=True)
    regions = Regions(source="detections", help_text="What the method found.")

    class Meta:
        model = Result
        fields = read_only_fields = [
            "id",
            "image",
            "image_name",
            "method",
            "n_regions",
            "had_file",
            "regions",
        ]


class SelectionSerializer(serializers.ModelSerializer[Selection]):
    n_images = serializers.IntegerField()

    class Meta:
        model = Selection
        fields = read_only_fields = ["id", "name", "n_images", "origin", "created"]


class NewSelectionSerializer(serializers.Serializer[None]):
    name = serializers.CharField(max_length=120)
    images = serializers.ListField(
        child=serializers.CharField(max_length=200),
        max_length=100_000,
        help_text="Names of images of the dataset.",
    )


class DatasetQuery(serializers.Serializer[None]):
    name = serializers.CharField(required=False, help_text="Part of its name.", max_length=120)
    order = serializers.ChoiceField(["name", "-name"], required=False, default="name")


class ImageQuery(serializers.Serializer[None]):
    name = serializers.CharField(required=False, help_text="Its whole name.", max_length=200)
    selection = serializers.IntegerField(
        required=False, min_value=1, max_value=2**63 - 1, help_text="Id of a selection."
    )


class ResultQuery(serializers.Serializer[None]):
    method = serializers.SlugField(required=False, help_text="Slug of a method.", max_length=120)
    image = serializers.IntegerField(
        required=False, min_value=1, max_value=2**63 - 1, help_text="Id of an image."
    )


def photograph_address(image: Image, request: HttpRequest) -> str | None:
    if not image.sha256:
        return None
    return reverse("api:photograph", args=[image.sha256], request=request)


PHOTOGRAPH = {
    (200, "image/jpeg"): OpenApiTypes.BINARY,
    (200, "image/png"): OpenApiTypes.BINARY,
    (200, "image/webp"): OpenApiTypes.BINARY,
}


class DatasetList(ListView):
    """The datasets you see: all of them for admins, those of their studies for researchers."""

    serializer_class = DatasetSerializer
    query_serializer_class = DatasetQuery

    def get_ordering(self) -> tuple[str, ...]:
        return (self.query()["order"],)

    def get_queryset(self) -> QuerySet[Dataset]:
        seen = permitted(self.request.user, "annotate.see_dataset", Dataset)
        name = self.query().get("name")
        if name:
            seen = seen.filter(name__icontains=name)
        # A subquery, so that the permission's conditions cannot change the counts.
        return selectors.with_counts(Dataset.objects.filter(pk__in=seen.values("pk")))


class DatasetDetail(OneView):
    """One dataset."""

    serializer_class = DatasetSerializer
    lookup_field = "slug"

    def get_queryset(self) -> QuerySet[Dataset]:
        seen = permitted(self.request.user, "annotate.see_dataset", Dataset)
        return selectors.with_counts(Dataset.objects.filter(pk__in=seen.values("pk")))


class _OfDataset(ListView):
    def dataset(self) -> Dataset:
        return seen_dataset(self.request, self.kwargs["slug"])


class ImageList(_OfDataset):
    """A dataset's images in natural order: img_2 before img_10."""

    serializer_class = ImageSerializer
    query_serializer_class = ImageQuery
    ordering = ("position", "pk")
    filters = (("name", "name"), ("selection", "selections"))

    def get_queryset(self) -> QuerySet[Image]:
        images = self.dataset().images.select_related("dataset").defer("truth")
        return images.filter(**self.conditions())


class ImageDetail(OneView):
    """An image with its ground truth."""

    serializer_class = ImageWithTruthSerializer

    def get_queryset(self) -> QuerySet[Image]:
        seen = permitted(self.request.user, "annotate.see_dataset", Dataset)
        return Image.objects.filter(dataset__in=seen).select_related("dataset")


class SelectionList(_OfDataset):
    """The selections of a dataset's images; ``images?selection=`` lists the images of one."""

    serializer_class = SelectionSerializer
    ordering = ("name",)

    def get_queryset(self) -> QuerySet[Selection]:
        return self.dataset().selections.annotate(n_images=Count("images"))

    @extend_schema(request=NewSelectionSerializer, responses={201: SelectionSerializer})
    @idempotent
    def post(self, request: SignedInRequest, slug: str) -> Response:
        """Keep images under a name."""
        dataset, sent = self.dataset(), self.sent(NewSelectionSerializer)
        keys = dict(dataset.images.filter(name__in=sent["images"]).values_list("name", "pk"))
        if unknown := sorted({*sent["images"]} - keys.keys()):
            words = _("Not images of {dataset}: {names}.")
            raise serializers.ValidationError(
                {"images": words.format(dataset=dataset, names=", ".join(unknown[:5]))}
            )
        kept = keep_selection(
            dataset=dataset, name=sent["name"], images=keys.values(), person=request.user
        )
        shown = self.shown(SelectionSerializer, self.get_queryset().get(pk=kept.pk))
        return Response(shown, status.HTTP_201_CREATED)


class SelectionDetail(ApiView):
    @extend_schema(request=None, responses={204: None})
    def delete(self, request: SignedInRequest, pk: int) -> Response:
        """Delete a selection of yours; admins may delete any. The images stay."""
        seen = permitted(request.user, "annotate.see_dataset", Dataset)
        own = deletable(Selection.objects.filter(dataset__in=seen), request.user)
        get_object_or_404(own, pk=pk).delete()
        return Response(status=status.HTTP_204_NO_CONTENT)


class MethodList(_OfDataset):
    """A dataset's methods."""

    serializer_class = MethodSerializer
    ordering = ("name",)

    def get_queryset(self) -> QuerySet[Method]:
        return self.dataset().methods.all()


class ResultList(_OfDataset):
    """The methods' results, with regions. No row: the method was not evaluated on the image."""

    serializer_class = ResultSerializer
    query_serializer_class = ResultQuery
    filters = (("method", "method__slug"), ("image", "image"))

    def get_queryset(self) -> QuerySet[Result]:
        results = Result.objects.filter(method__dataset=self.dataset(), **self.conditions())
        return results.select_related("image", "method").defer("image__truth")


class ResultDetail(OneView):
    """One result with its regions."""

    serializer_class = ResultSerializer

    def get_queryset(self) -> QuerySet[Result]:
        seen = permitted(self.request.user, "annotate.see_dataset", Dataset)
        results = Result.objects.filter(method__dataset__in=seen)
        return results.select_related("image", "method").defer("image__truth")


class Photograph(ApiView):
    """The photograph of an image: of a dataset you see, or of a study you annotate."""

    content_negotiation_class = AnyType

    @extend_schema(responses=PHOTOGRAPH)
    def get(self, request: Request, sha256: str) -> HttpResponseBase:
        return views.photograph(request, sha256)
