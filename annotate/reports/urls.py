from django.urls import include, path, re_path

from annotate.evidence import annotator_views
from annotate.evidence import views as image_views

from . import views

app_name = "reports"
urlpatterns = [
    path("<slug:slug>/report/", views.report, name="report"),
    re_path(
        r"^(?P<slug>[-\w]+)/report\.(?P<extension>csv|json|tex|md)$", views.export, name="export"
    ),
    re_path(
        r"^(?P<slug>[-\w]+)/report/(?P<table>[a-z]+)\.(?P<extension>csv|json|tex|md)$",
        views.export_table,
        name="export_table",
    ),
    path("<slug:slug>/reports/", views.kept_reports, name="kept_reports"),
    path("<slug:slug>/reports/<int:pk>/", views.kept, name="kept"),
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
    path("<slug:slug>/reports/<int:pk>/figures/", include("annotate.figures.kept_urls")),
    path("<slug:slug>/figures/", include("annotate.figures.urls")),
    path("<slug:slug>/raw/", views.raw_data, name="raw"),
    path("<slug:slug>/raw/all.zip", views.raw_zip, name="raw_zip"),
    path("<slug:slug>/raw/<str:name>", views.raw_file, name="raw_file"),
    path("<slug:slug>/bundle.zip", views.bundle, name="bundle"),
    path("<slug:slug>/annotators/", annotator_views.annotators, name="annotators"),
    path("<slug:slug>/annotators/<slug:key>/", annotator_views.decide, name="decide_annotator"),
    path("<slug:slug>/disagreement/", image_views.disagreement, name="disagreement"),
    # By name; a number is the key of an image. Before the image, whose name may hold a slash.
    path("<slug:slug>/images/<path:image>/compare/", image_views.compare, name="compare"),
    path("<slug:slug>/images/<path:image>/", image_views.image, name="image"),
]
