"""The addresses of the pages behind a report's numbers."""

from django.urls import path

from . import annotator_views, views

app_name = "evidence"
urlpatterns = [
    path("<slug:slug>/annotators/", annotator_views.annotators, name="annotators"),
    path("<slug:slug>/annotators/<slug:key>/", annotator_views.decide, name="decide_annotator"),
    path("<slug:slug>/disagreement/", views.disagreement, name="disagreement"),
    # By name; a number is the key of an image. Before the image, whose name may hold a slash.
    path("<slug:slug>/images/<path:image>/compare/", views.compare, name="compare"),
    path("<slug:slug>/images/<path:image>/", views.image, name="image"),
]
