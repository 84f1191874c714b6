from django.urls import path, re_path

from . import views

app_name = "datasets"
urlpatterns = [
    path("", views.dataset_list, name="list"),
    re_path(r"^images/(?P<sha256>[0-9a-f]{64})$", views.image, name="image"),
    path("<slug:slug>/", views.detail, name="detail"),
    path("<slug:slug>/loaded/", views.matrix, name="matrix"),
    path("<slug:slug>/images/<path:name>/", views.viewer, name="viewer"),
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
]
