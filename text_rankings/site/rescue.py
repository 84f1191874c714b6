"""The rescue site: Django's admin behind the same sign-in as all other pages."""

from typing import Any

from django.contrib.admin import AdminSite
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect


class RescueSite(AdminSite):
    """Admin site with the sign-in of the account library, its limits and its second factor."""

    site_header = site_title = "Rescue work"
    index_title = "What is stored"

    def login(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        if self.has_permission(request):
            return redirect("admin:index")
        if request.user.is_authenticated:
            raise Http404
        return redirect_to_login(request.GET.get("next") or request.get_full_path())
