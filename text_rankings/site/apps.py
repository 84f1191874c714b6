"""Applications that are not used as they come."""

from django.contrib.admin.apps import AdminConfig


class RescueConfig(AdminConfig):
    """Django's admin under /rescue/, with our way of signing in."""

    default_site = "text_rankings.site.rescue.RescueSite"
