from django.urls import path, re_path

from . import views

app_name = "imports"
urlpatterns = [
    path("", views.start, name="start"),
    path("receipts/", views.receipts, name="receipts"),
    path("receipts/<int:pk>/", views.receipt, name="receipt"),
    path("<int:pk>/", views.files, name="files"),
    path("<int:pk>/add/", views.add, name="add"),
    path("<int:pk>/files/<int:file>/remove/", views.remove, name="remove"),
    path("<int:pk>/discard/", views.discard, name="discard"),
    path("<int:pk>/progress/", views.progress, name="progress"),
    path("<int:pk>/cancel/", views.cancel, name="cancel"),
    path("<int:pk>/report/", views.report, name="report"),
    path("<int:pk>/report.csv", views.report_file, name="report_file"),
    re_path(
        r"^(?P<pk>[0-9]+)/photographs/(?P<sha256>[0-9a-f]{64})$",
        views.photograph,
        name="photograph",
    ),
    path("<int:pk>/confirm/", views.confirm, name="confirm"),
]
