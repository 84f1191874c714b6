from django.urls import path, re_path

from . import views

app_name = "judging"
urlpatterns = [
    path("<slug:slug>/", views.judge, name="judge"),
    path("<slug:slug>/start/", views.start, name="start"),
    path("<slug:slug>/undo/", views.undo, name="undo"),
    re_path(r"^screens/(?P<screen_id>[-\w]{1,24})/answer/$", views.answer, name="answer"),
    re_path(r"^screens/(?P<screen_id>[-\w]{1,24})/skip/$", views.skip, name="skip"),
]
