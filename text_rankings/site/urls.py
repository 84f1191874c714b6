"""URLs of the whole site."""

from django.contrib import admin
from django.urls import include, path

from annotate.accounts.views import SessionsView

from .bodies import may_send

urlpatterns = [
    # Before the library's own view, which queries each browser separately.
    path("accounts/sessions/", SessionsView.as_view(), name="usersessions_list"),
    path("accounts/", include("allauth.urls")),
    path("rescue/", admin.site.urls),
    path("api/v1/", include("annotate.api_urls")),
    # Public pages; those of annotate.urls check access.
    path("protocols/", include("annotate.guide.urls")),
    path("public/boards/", include("annotate.leaderboards.public_urls")),
    path("public/", include("annotate.publication.public_urls")),
    path("may-send", may_send),
    path("", include("annotate.urls")),
]

# Errors for scripts are in their format, errors for browsers are pages.
handler400 = "annotate.api.problems.bad_request"
handler403 = "annotate.api.problems.permission_denied"
handler404 = "annotate.api.problems.page_not_found"
handler500 = "annotate.api.problems.server_error"
