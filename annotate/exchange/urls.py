"""URLs of a study's raw data, of its bundle, and of an annotator's own answers."""

from django.urls import path

from . import views

app_name = "exchange"
urlpatterns = [
    path("<slug:slug>/raw/", views.raw_data, name="raw"),
    path("<slug:slug>/raw/all.zip", views.raw_zip, name="raw_zip"),
    path("<slug:slug>/raw/<str:name>", views.raw_file, name="raw_file"),
    path("<slug:slug>/own-answers.<str:kind>", views.own_answers_file, name="own_answers"),
    path("<slug:slug>/bundle.zip", views.bundle, name="bundle"),
]
