from django.urls import path, re_path

from . import views

app_name = "reports"
urlpatterns = [
    path("<slug:slug>/report/", views.report, name="report"),
    re_path(
        r"^(?P<slug>[-\w]+)/report\.(?P<extension>csv|json|tex|md)$", views.export, name="export"
    ),
]
