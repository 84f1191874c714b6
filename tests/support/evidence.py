"""URLs of the pages behind a report's numbers."""

from django.urls import reverse

from annotate.datasets.models import Image
from annotate.studies.models import Study


def image_url(study: Study, image: Image | None = None) -> str:
    return reverse("evidence:image", args=[study.slug, (image or study.images.first()).name])


def compare_url(study: Study, image: Image | None = None) -> str:
    return reverse("evidence:compare", args=[study.slug, (image or study.images.first()).name])


def disagreement_url(study: Study) -> str:
    return reverse("evidence:disagreement", args=[study.slug])
