"""URL of the site's health."""

from django.urls import path

from . import views

app_name = "health"
urlpatterns = [path("", views.health, name="health")]
