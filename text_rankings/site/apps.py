"""Django applications with settings of our own."""

from django.contrib.admin.apps import AdminConfig


class RescueConfig(AdminConfig):
    """Django's admin under /rescue/, with the site's own sign-in."""

    default_site = "text_rankings.site.rescue.RescueSite"
