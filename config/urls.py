"""Addresses of the whole site."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("accounts/", include("allauth.urls")),
    path("rescue/", admin.site.urls),
    path("api/v1/", include("annotate.api_urls")),
    # Public pages; those of annotate.urls ask who reads.
    path("protocols/", include("annotate.guide.urls")),
    path("", include("annotate.urls")),
]

# What scripts ask for goes wrong in their language, what browsers ask for as a page.
handler400 = "annotate.rest.problems.bad_request"
handler403 = "annotate.rest.problems.permission_denied"
handler404 = "annotate.rest.problems.page_not_found"
handler500 = "annotate.rest.problems.server_error"
