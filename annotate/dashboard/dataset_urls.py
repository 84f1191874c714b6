from django.urls import include, path

from . import dataset_views as pages
from . import mending_views, selection_views

app_name = "datasets"
urlpatterns = [
    path("", pages.dataset_list, name="list"),
    path("", include("annotate.datasets.urls")),
    path("<slug:slug>/", pages.detail, name="detail"),
    path("<slug:slug>/loaded/", pages.matrix, name="matrix"),
    path("<slug:slug>/selections/", selection_views.selections, name="selections"),
    path("<slug:slug>/scenes/", pages.scenes, name="scenes"),
    # Precedes the viewer of one image, whose name may contain a slash.
    path("<slug:slug>/images/<path:name>/mend/", mending_views.mend, name="mend"),
    path("<slug:slug>/images/<path:name>/", pages.viewer, name="viewer"),
]
