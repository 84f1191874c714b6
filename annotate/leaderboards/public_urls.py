"""URLs of public leaderboards, which need no sign-in."""

from django.urls import path, re_path

from . import public_views

app_name = "boards"
urlpatterns = [
    path("<slug:address>/", public_views.page, name="page"),
    re_path(
        r"^(?P<address>[-\w]+)/leaderboard\.(?P<extension>csv|json|tex|md)$",
        public_views.file,
        name="file",
    ),
]
