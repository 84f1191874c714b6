"""Letters about a row, which are not sent if it does not want them any more."""

from collections.abc import Callable
from typing import Any, Final

from django.core.mail import EmailMultiAlternatives

# By what a letter is about, whether it is still wanted when it is sent: an invitation may have been
# revoked, a person removed. `annotate/work.py` fills it.
STILL_WANTED: Final[dict[str, Callable[[int], bool]]] = {}
About = tuple[str, int]


class Letter(EmailMultiAlternatives):
    """An e-mail about a row, given with its kind in STILL_WANTED."""

    def __init__(self, *args: Any, about: About, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.about = about
