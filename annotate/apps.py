from django.apps import AppConfig
from django.utils.formats import get_format
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from text_rankings.base import i18n


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
        # Pages also show messages of the pure packages.
        i18n.translate_by(gettext, ngettext, _numeral)


def _numeral(text: str) -> str:
    """Convert a number from English notation to that of the request's language."""
    separators = {",": get_format("THOUSAND_SEPARATOR"), ".": get_format("DECIMAL_SEPARATOR")}
    return text.translate(str.maketrans(separators))
