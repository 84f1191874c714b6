"""Addresses of the whole site."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("accounts/", include("allauth.urls")),
    path("rescue/", admin.site.urls),
    # Public pages; those of annotate.urls ask who reads.
    path("protocols/", include("annotate.guide.urls")),
    path("", include("annotate.urls")),
]
