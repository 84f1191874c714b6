"""The addresses of a study's open questions."""

from django.urls import path, re_path

from . import views

app_name = "questions"
urlpatterns = [
    path("<slug:slug>/questions/", views.questions, name="questions"),
    re_path(
        r"^(?P<slug>[-\w]+)/questions/(?P<table>[a-z]+)\.(?P<extension>csv|json|tex|md)$",
        views.table_file,
        name="table",
    ),
]
