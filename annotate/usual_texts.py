"""Default texts, for studies without the researcher's own."""

from typing import Final

from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

USUAL_QUESTIONS: Final = {
    "recall": gettext_noop("Which finds more of the text?"),
    "precision": gettext_noop("Which marks less that is not text?"),
    "preference": gettext_noop("Which would you rather have?"),
}
USUAL_WELCOME: Final = _(
    "Computers draw boxes where they think there is text in a photograph. You see two such results "
    "side by side and say which is better, and in what way. The study asks which of the usual "
    "formulas agree with people."
)
USUAL_CONSENT: Final = _(
    "I have read what this study is and what is stored. I take part of my own free will, "
    "and I know that I can stop at any time."
)
