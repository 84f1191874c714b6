"""The addresses of reports: their pages, and the addresses in reports/."""

from django.urls import include, path

from . import views

app_name = "reports"
urlpatterns = [
    path("<slug:slug>/report/", views.report, name="report"),
    path("<slug:slug>/report/images/", views.images, name="images"),
    path("<slug:slug>/reports/<int:pk>/", views.kept, name="kept"),
    path("<slug:slug>/reports/<int:pk>/images/", views.kept_images, name="kept_images"),
    path("", include("annotate.reports.urls")),
]
