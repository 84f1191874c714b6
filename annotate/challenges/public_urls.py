"""URLs of the public pages of challenges, which need no sign-in."""

from django.urls import path, re_path

from . import public_views

app_name = "public_challenges"
urlpatterns = [
    path("<slug:address>/", public_views.page, name="page"),
    path("<slug:address>/join/", public_views.join, name="join"),
    path("<slug:address>/archive.json", public_views.archive, name="archive"),
    re_path(
        r"^(?P<address>[-\w]+)/figure\.(?P<extension>svg|png|pdf)$",
        public_views.figure,
        name="figure",
    ),
    re_path(
        r"^(?P<address>[-\w]+)/(?P<split>\w+)\.(?P<extension>csv|json|tex|md)$",
        public_views.file,
        name="file",
    ),
]
