from django.urls import path

from . import views

app_name = "judges"
urlpatterns = [
    path("<slug:slug>/judges/", views.judges, name="judges"),
    path("<slug:slug>/judges/declare/", views.declare, name="declare"),
    path("<slug:slug>/judges/answers/", views.answers, name="answers"),
    path("<slug:slug>/judges/<int:pk>/<str:task>/<str:part>", views.sent, name="sent"),
    path("<slug:slug>/release/", views.release, name="release"),
    path("<slug:slug>/release/end/", views.end_release, name="end_release"),
]
