"""Gathers the addresses of all subjects."""

from django.urls import include, path

from annotate.judging import views as judging
from annotate.studies import views as studies

urlpatterns = [
    path("", studies.home, name="home"),
    path("learn/", include("annotate.learning.urls")),
    path("accounts/tokens/", include("annotate.tokens.urls")),
    path("preferences/", judging.preferences, name="preferences"),
    path("judge/", include("annotate.judging.urls")),
    path("", include("annotate.accounts.urls")),
    path("", include("annotate.audit.urls")),
    path("studies/", include("annotate.studies.urls")),
    path("studies/", include("annotate.reports.urls")),
    path("studies/", include("annotate.evidence.urls")),
    path("studies/", include("annotate.figures.urls")),
    path("studies/", include("annotate.exchange.urls")),
    path("data/load/", include("annotate.imports.urls")),
    path("data/", include("annotate.scoring.urls")),
    path("data/", include("annotate.datasets.urls")),
]
