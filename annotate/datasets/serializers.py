"""Serializers of datasets, images, methods and results."""

from django.http import HttpRequest
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.reverse import reverse

from annotate.api.fields import Regions

from .models import Dataset, Image, Method, Result


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

    class Meta(ImageSerializer.Meta):
        fields = read_only_fields = [*ImageSerializer.Meta.fields, "truth"]


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


class DatasetQuery(serializers.Serializer[None]):
    name = serializers.CharField(required=False, help_text="Part of its name.", max_length=120)
    order = serializers.ChoiceField(["name", "-name"], required=False, default="name")


class ImageQuery(serializers.Serializer[None]):
    name = serializers.CharField(required=False, help_text="Its whole name.", max_length=200)


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
