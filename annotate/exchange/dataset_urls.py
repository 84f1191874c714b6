"""URLs of a dataset's files."""

from django.urls import path, re_path

from . import views

app_name = "files"
urlpatterns = [
    path("<slug:slug>/answers/", views.answers_from_elsewhere, name="answers"),
    re_path(
        r"^(?P<slug>[-\w]+)/ground-truth\.(?P<extension>zip|json)$",
        views.truth_file,
        name="truth_file",
    ),
    re_path(
        r"^(?P<slug>[-\w]+)/results/(?P<method>[-\w]+)\.(?P<extension>zip|json)$",
        views.results_file,
        name="results_file",
    ),
    re_path(
        r"^(?P<slug>[-\w]+)/selections/(?P<pk>\d{1,18})\.(?P<kind>txt|csv)$",
        views.selection_file,
        name="selection_file",
    ),
    path("<slug:slug>/scores.csv", views.scores_file, name="scores_file"),
    path("<slug:slug>/photographs.zip", views.photographs_file, name="photographs_file"),
    path("<slug:slug>/runs/<int:pk>/causes.zip", views.causes_file, name="causes_file"),
]
