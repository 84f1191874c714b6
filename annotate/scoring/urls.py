from django.urls import path

from . import views

app_name = "scoring"
urlpatterns = [path("<slug:slug>/score/", views.score, name="score")]
