from django.urls import path, re_path

from . import views

app_name = "datasets"
urlpatterns = [
    path("", views.dataset_list, name="list"),
    re_path(r"^images/(?P<sha256>[0-9a-f]{64})$", views.image, name="image"),
    path("<slug:slug>/", views.detail, name="detail"),
]
