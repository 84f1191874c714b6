"""URLs of all subjects."""

from django.urls import include, path

from annotate.accounts import views as accounts
from annotate.dashboard import views as overview

urlpatterns = [
    path("", overview.home, name="home"),
    path("join/", include("annotate.recruiting.public_urls")),
    path("learn/", include("annotate.learning.urls")),
    path("accounts/tokens/", include("annotate.api.tokens.urls")),
    path("language/", accounts.choose_language, name="language"),
    path("preferences/", accounts.preferences, name="preferences"),
    path("judge/", include("annotate.judging.urls")),
    path("", include("annotate.accounts.urls")),
    path("account/", include("annotate.accounts.privacy.urls")),
    path("", include("annotate.dashboard.log_urls")),
    path("studies/", include("annotate.design.setup.urls")),
    path("studies/", include("annotate.recruiting.urls")),
    path("studies/", include("annotate.progress.urls")),
    path("studies/", include("annotate.report_pages.urls")),
    path("studies/", include("annotate.drilldown.urls")),
    path("studies/", include("annotate.figures.urls")),
    path("studies/", include("annotate.report_pages.questions.urls")),
    path("studies/", include("annotate.judges.urls")),
    path("studies/", include("annotate.exchange.urls")),
    path("studies/", include("annotate.publication.urls")),
    path("work/", include("annotate.jobs.urls")),
    path("health/", include("annotate.operations.health.urls")),
    path("data/load/", include("annotate.imports.urls")),
    path("data/", include("annotate.exchange.dataset_urls")),
    path("data/", include("annotate.codabench.urls")),
    path("data/", include("annotate.scoring.urls")),
    path("data/", include("annotate.design.planning.urls")),
    path("data/", include("annotate.drilldown.dataset_urls")),
    path("data/", include("annotate.leaderboards.urls")),
    path("data/", include("annotate.dashboard.dataset_urls")),
]
