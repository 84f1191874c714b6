from django.urls import path

from . import views

app_name = "judging"
urlpatterns = [
    path("<slug:slug>/", views.judge, name="judge"),
    path("<slug:slug>/start/", views.start, name="start"),
    path("<slug:slug>/undo/", views.undo, name="undo"),
    path("screens/<str:screen_id>/answer/", views.answer, name="answer"),
    path("screens/<str:screen_id>/skip/", views.skip, name="skip"),
]
