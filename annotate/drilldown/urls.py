"""URLs of the pages behind a report's numbers."""

from django.urls import path

from .annotators import views as annotators
from .images import views as images

app_name = "evidence"
urlpatterns = [
    path("<slug:slug>/annotators/", annotators.annotators, name="annotators"),
    path("<slug:slug>/annotators/count", annotators.count, name="count_annotators"),
    path("<slug:slug>/annotators/<slug:key>/", annotators.decide, name="decide_annotator"),
    path("<slug:slug>/notes/", images.notes, name="notes"),
    path("<slug:slug>/disagreement/", images.disagreement, name="disagreement"),
    # By name, or by key if it is a number. Precedes ``image``, whose name may contain a slash.
    path("<slug:slug>/images/<path:image>/compare/", images.compare, name="compare"),
    path("<slug:slug>/images/<path:image>/", images.image, name="image"),
]
