"""URLs of public pages, which need no sign-in."""

from django.urls import path, re_path

from . import public_views

app_name = "public"
urlpatterns = [
    path("<slug:address>/", public_views.page, name="page"),
    re_path(
        r"^(?P<address>[-\w]+)/report\.(?P<extension>csv|json|tex|md)$",
        public_views.file,
        name="file",
    ),
    re_path(
        r"^(?P<address>[-\w]+)/tables/(?P<table>[a-z]+)\.(?P<extension>csv|json|tex|md)$",
        public_views.table,
        name="table",
    ),
    path("<slug:address>/citation.bib", public_views.bibtex, name="bibtex"),
    path("<slug:address>/dataset.jsonld", public_views.description, name="described"),
    path("<slug:address>/download.zip", public_views.download, name="download"),
]
