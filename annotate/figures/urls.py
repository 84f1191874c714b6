"""The addresses below a study's figures."""

from django.urls import path, re_path

from . import views as figure_views
from .data import NAMES
from .files import FORMATS

urlpatterns = [
    path("", figure_views.figures, name="figures"),
    re_path(
        rf"^(?P<name>{'|'.join(NAMES)})\.(?P<extension>{'|'.join(FORMATS)})$",
        figure_views.figure,
        name="figure",
    ),
]
