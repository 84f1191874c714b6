"""Numbers of examples that a property is tried on."""

from hypothesis import settings

USUAL = 20


def scaled(n_examples: int) -> int:
    """Return that many in a usual run, and more in proportion where the profile wants more."""
    return max(n_examples, n_examples * settings.default.max_examples // USUAL)
