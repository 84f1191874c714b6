"""The one rule for rounding numbers for display, on pages and in files."""

from decimal import ROUND_HALF_UP, Decimal


def in_decimals(value: float, digits: int) -> str:
    """Return a number with this many decimals, rounded half away from zero, and no negative zero.

    The decimal digits of the number are rounded (6.125 to 6.13, 2.675 to 2.68), not its binary
    fraction, which is below 2.675: readers of the full number expect this, and Django's
    ``floatformat`` does it.
    """
    # float(): NumPy's numbers include their type in repr().
    rounded = Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    return f"{abs(rounded) if rounded.is_zero() else rounded:f}"


def p_value(p: float) -> str:
    """Return a p-value for display, never as 0."""
    return f"< {in_decimals(0.001, 3)}" if p < 0.001 else in_decimals(p, 3)


def p_in_words(p: float) -> str:
    """Return a p-value for use in a sentence."""
    return f"p {p_value(p)}" if p < 0.001 else f"p = {p_value(p)}"
