from django.urls import path

from . import views

app_name = "privacy"
urlpatterns = [
    path("data/", views.export, name="export"),
    path("erase/", views.erase, name="erase"),
]
