"""Gathers the addresses of all subjects."""

from django.urls import include, path

from annotate.accounts import views as accounts
from annotate.overview import views as overview

urlpatterns = [
    path("", overview.home, name="home"),
    path("learn/", include("annotate.learning.urls")),
    path("accounts/tokens/", include("annotate.tokens.urls")),
    path("language/", accounts.choose_language, name="language"),
    path("preferences/", accounts.preferences, name="preferences"),
    path("judge/", include("annotate.judging.urls")),
    path("", include("annotate.accounts.urls")),
    path("account/", include("annotate.privacy.urls")),
    path("", include("annotate.overview.log_urls")),
    path("studies/", include("annotate.setup.urls")),
    path("studies/", include("annotate.progress.urls")),
    path("studies/", include("annotate.findings.urls")),
    path("studies/", include("annotate.evidence.urls")),
    path("studies/", include("annotate.figures.urls")),
    path("studies/", include("annotate.questions.urls")),
    path("studies/", include("annotate.exchange.urls")),
    path("studies/", include("annotate.publication.urls")),
    path("work/", include("annotate.jobs.urls")),
    path("health/", include("annotate.health.urls")),
    path("data/load/", include("annotate.imports.urls")),
    path("data/", include("annotate.exchange.dataset_urls")),
    path("data/", include("annotate.scoring.urls")),
    path("data/", include("annotate.planning.urls")),
    path("data/", include("annotate.overview.dataset_urls")),
]
