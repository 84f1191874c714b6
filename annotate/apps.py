from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AnnotateConfig(AppConfig):
    name = "annotate"
    verbose_name = _("Text detection rankings")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from annotate import work  # noqa: F401
        from annotate.accounts.privacy import personal_data as accounts
        from annotate.judging import personal_data as judging
        from annotate.recruiting import services as recruiting

        accounts.register("answers", accounts.Source(judging.answers, judging.erase_texts))
        accounts.register("arrivals", accounts.Source(lambda _: (), recruiting.erase_ids_of))
