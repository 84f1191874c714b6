from django.urls import path

from . import views

app_name = "imports"
urlpatterns = [
    path("", views.dataset, name="dataset"),
    path("<slug:slug>/results/", views.results, name="results"),
    path("<slug:slug>/scores/", views.scores, name="scores"),
]
