from django.apps import AppConfig
from django.db.backends.signals import connection_created
from django.utils.translation import gettext_lazy as _


class AnnotateConfig(AppConfig):
    name = "annotate"
    verbose_name = _("Text detection rankings")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from annotate import (
            prepared_sql,
            work,  # noqa: F401
        )
        from annotate.accounts.privacy import personal_data as accounts
        from annotate.judging import personal_data as judging
        from annotate.recruiting import services as recruiting

        connection_created.connect(prepared_sql.without_compiling)
        accounts.register("answers", accounts.Source(judging.answers, judging.erase_texts))
        accounts.register("arrivals", accounts.Source(lambda _: (), recruiting.erase_ids_of))
