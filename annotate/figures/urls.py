"""The addresses of a study's figures and of a kept report's."""

from django.urls import include, path, re_path

from . import views
from .files import FORMATS
from .kinds import NAMES

_FILE = rf"^(?P<name>{'|'.join(NAMES)})\.(?P<extension>{'|'.join(FORMATS)})$"

app_name = "figures"
urlpatterns = [
    path("<slug:slug>/report/detectors/", views.detectors, name="detectors"),
    path("<slug:slug>/reports/<int:pk>/detectors/", views.kept_detectors, name="kept_detectors"),
    path(
        "<slug:slug>/figures/",
        include(
            [
                path("", views.figures, name="figures"),
                path("all/", views.all_figures, name="all_figures"),
                re_path(_FILE, views.figure, name="figure"),
            ]
        ),
    ),
    path(
        "<slug:slug>/reports/<int:pk>/figures/",
        include(
            [
                path("", views.kept_figures, name="kept_figures"),
                path("all/", views.all_kept_figures, name="all_kept_figures"),
                re_path(_FILE, views.kept_figure, name="kept_figure"),
            ]
        ),
    ),
]
