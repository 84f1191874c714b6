from django.urls import path

from . import log_views as views

app_name = "audit"
urlpatterns = [
    path("people/log/", views.log, name="log"),
    path("studies/<slug:slug>/log/", views.study_log, name="study"),
]
