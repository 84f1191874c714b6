"""Addresses of the whole site."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("accounts/", include("allauth.account.urls")),
    path("rescue/", admin.site.urls),
    path("", include("annotate.urls")),
]
