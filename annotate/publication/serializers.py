"""Public pages in the API."""

from typing import Any

from django.urls import reverse
from rest_framework import serializers

from annotate.names import seen

from . import files
from .models import DOI, PublicPage


class PublishSerializer(serializers.Serializer[Any]):
    """A public page. Without an address it gets one that cannot be guessed."""

    title = serializers.CharField(max_length=200, validators=[seen])
    address = serializers.SlugField(
        min_length=3, max_length=60, required=False, allow_blank=True, help_text="Lists the page."
    )
    authors = serializers.CharField(
        max_length=300, required=False, allow_blank=True, validators=[seen]
    )
    description = serializers.CharField(max_length=3000, required=False, allow_blank=True)
    doi = serializers.CharField(max_length=120, required=False, allow_blank=True, validators=[DOI])
    licence = serializers.ChoiceField(PublicPage.Licence.choices, required=False, allow_blank=True)
    download = serializers.ChoiceField(PublicPage.Download.choices, required=False)


class PublicPageSerializer(serializers.ModelSerializer[PublicPage]):
    """The public page of a kept report."""

    url = serializers.SerializerMethodField(help_text="Where everybody reads it.")
    has_file = serializers.SerializerMethodField(help_text="Whether its file is written.")

    class Meta:
        model = PublicPage
        fields = read_only_fields = [
            *("url", "is_listed", "title", "authors", "description", "doi", "licence", "download"),
            *("has_file", "file_sha256", "file_bytes", "created"),
        ]

    def get_url(self, page: PublicPage) -> str:
        path = reverse("public:page", args=[page.address])
        url: str = self.context["request"].build_absolute_uri(path)
        return url

    def get_has_file(self, page: PublicPage) -> bool:
        return files.path_of(page) is not None
