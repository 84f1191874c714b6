"""The page before consent, and what a researcher pastes into a platform."""

from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from annotate.guide.markdown import own_words
from annotate.learning import selectors as learning

from .models import Entrance, Outcome, Platform
from .platforms import NAMES
from .selectors import minutes_of, n_pairs_of


def to_paste(request: HttpRequest, entrance: Entrance) -> dict[str, Any]:
    """Return an entrance's address with the platform's placeholders, and its codes."""
    name = "join:frame" if entrance.platform == Platform.MTURK else "join:start"
    address = request.build_absolute_uri(reverse(name, args=[entrance.slug]))
    names = (entrance.person_parameter, entrance.submission_parameter)
    pasted = NAMES[Platform(entrance.platform)].pasted
    if entrance.platform == Platform.CUSTOM:
        pasted = "&".join(f"{name}=…" for name in names if name)
    return {
        "address": f"{address}?{pasted}" if pasted else address,
        "codes": [(outcome.label, entrance.code_of(outcome)) for outcome in Outcome],
    }


def start_context(entrance: Entrance) -> dict[str, Any]:
    """Return what the page before consent shows of an entrance."""
    study = entrance.study
    return {
        "entrance": entrance,
        "study": study,
        "minutes": minutes_of(entrance),
        "n_pairs": n_pairs_of(entrance),
        "welcome": own_words(study.welcome_text),
        "contact": own_words(study.contact),
        "contacts": learning.contacts(study),
        "consent_words": own_words(study.consent_text),
    }
