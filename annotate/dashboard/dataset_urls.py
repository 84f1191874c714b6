from django.urls import path, re_path

from annotate.datasets import views as files

from . import dataset_views as pages

app_name = "datasets"
urlpatterns = [
    path("", pages.dataset_list, name="list"),
    re_path(r"^images/(?P<sha256>[0-9a-f]{64})$", files.image, name="image"),
    re_path(r"^images/(?P<sha256>[0-9a-f]{64})/small$", files.small_image, name="small_image"),
    path("<slug:slug>/", pages.detail, name="detail"),
    path("<slug:slug>/loaded/", pages.matrix, name="matrix"),
    path("<slug:slug>/images/<path:name>/", pages.viewer, name="viewer"),
]
