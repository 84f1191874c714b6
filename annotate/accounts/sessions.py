"""Names of browsers and their systems, for the list of a user's sessions."""

from typing import Final

from django.utils.translation import gettext as _

# How browsers and systems identify themselves. Many name others too, so the first match counts.
_BROWSERS: Final = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "SamsungBrowser/": "Samsung Internet",
    "Firefox/": "Firefox",
    "FxiOS/": "Firefox",
    "Chrome/": "Chrome",
    "CriOS/": "Chrome",
    "Safari/": "Safari",
}
_SYSTEMS: Final = {
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "Windows": "Windows",
    "Mac OS X": "macOS",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}
_LONGEST: Final = 120


def browser_of(user_agent: str) -> str:
    """Return the names of a browser and its system, or its own description if they are unknown."""
    browser, system = (
        next((name for sign, name in names.items() if sign in user_agent), "")
        for names in (_BROWSERS, _SYSTEMS)
    )
    if browser and system:
        return _("{browser} on {system}").format(browser=browser, system=system)
    return user_agent[:_LONGEST]
