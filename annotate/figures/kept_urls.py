"""The addresses below a kept report's figures."""

from django.urls import path, re_path

from . import views as figure_views
from .data import NAMES
from .files import FORMATS

urlpatterns = [
    path("", figure_views.kept_figures, name="kept_figures"),
    re_path(
        rf"^(?P<name>{'|'.join(NAMES)})\.(?P<extension>{'|'.join(FORMATS)})$",
        figure_views.kept_figure,
        name="kept_figure",
    ),
]
