"""Addresses of files and kept reports; those of a report's pages are in report_pages/."""

from django.urls import path, re_path

from . import views

urlpatterns = [
    re_path(
        r"^(?P<slug>[-\w]+)/report\.(?P<extension>csv|json|tex|md)$", views.export, name="export"
    ),
    re_path(
        r"^(?P<slug>[-\w]+)/report/(?P<table>[a-z]+)\.(?P<extension>csv|json|tex|md)$",
        views.export_table,
        name="export_table",
    ),
    path("<slug:slug>/reports/", views.kept_reports, name="kept_reports"),
    path("<slug:slug>/reports/<int:pk>/against/<int:other>/", views.kept_compared, name="compared"),
    re_path(
        r"^(?P<slug>[-\w]+)/reports/(?P<pk>\d+)\.(?P<extension>csv|json|tex|md)$",
        views.kept_file,
        name="kept_file",
    ),
    re_path(
        r"^(?P<slug>[-\w]+)/reports/(?P<pk>\d+)/(?P<table>[a-z]+)\.(?P<extension>csv|json|tex|md)$",
        views.kept_table,
        name="kept_table",
    ),
]
