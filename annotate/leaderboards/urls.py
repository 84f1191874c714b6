from django.urls import path, re_path

from . import views

app_name = "leaderboards"
urlpatterns = [
    re_path(
        r"^(?P<slug>[-\w]+)/(?P<table>leaderboard|disagreements)\.(?P<extension>csv|json|tex|md)$",
        views.file,
        name="file",
    ),
    re_path(
        r"^(?P<slug>[-\w]+)/leaderboard-figure\.(?P<extension>svg|png|pdf)$",
        views.figure,
        name="figure",
    ),
    path("<slug:slug>/leaderboard/public/", views.publish, name="publish"),
]
