from django.apps import AppConfig


class AnnotateConfig(AppConfig):
    name = "annotate"
    verbose_name = "Text detection rankings"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from annotate import work  # noqa: F401
