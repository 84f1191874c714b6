"""URLs of the pages behind a dataset's scores."""

from django.urls import path

from .images import views as images

app_name = "scored"
urlpatterns = [
    path("<slug:slug>/worst/", images.worst, name="worst"),
    path("<slug:slug>/worst/keep/", images.keep, name="keep"),
    # Precedes the viewer of one image, whose name may contain a slash.
    path("<slug:slug>/images/<path:image>/compare/", images.compare_in_dataset, name="compare"),
]
