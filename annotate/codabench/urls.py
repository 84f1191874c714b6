from django.urls import path

from . import views

app_name = "codabench"
urlpatterns = [
    path("<slug:slug>/codabench/", views.competition, name="competition"),
    path("<slug:slug>/codabench/load/", views.load, name="load"),
    path("<slug:slug>/codabench/load/<slug:token>/", views.preview, name="preview"),
    path("<slug:slug>/codabench/loaded/<int:pk>/", views.loaded, name="loaded"),
]
