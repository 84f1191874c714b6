from django.urls import path, re_path

from . import views

app_name = "planning"
urlpatterns = [
    path("<slug:slug>/plan/", views.plan, name="plan"),
    re_path(
        r"^(?P<slug>[-\w]+)/plan/map\.(?P<extension>svg|png|pdf)$",
        views.map_file,
        name="map",
    ),
]
