from django.urls import include, path

from . import dataset_views as pages

app_name = "datasets"
urlpatterns = [
    path("", pages.dataset_list, name="list"),
    path("", include("annotate.datasets.urls")),
    path("<slug:slug>/", pages.detail, name="detail"),
    path("<slug:slug>/loaded/", pages.matrix, name="matrix"),
    path("<slug:slug>/scenes/", pages.scenes, name="scenes"),
    path("<slug:slug>/images/<path:name>/", pages.viewer, name="viewer"),
]
