from django.urls import re_path

from . import views

urlpatterns = [
    re_path(r"^images/(?P<sha256>[0-9a-f]{64})$", views.image, name="image"),
    re_path(r"^images/(?P<sha256>[0-9a-f]{64})/small$", views.small_image, name="small_image"),
]
