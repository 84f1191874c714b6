"""The one rule for rounding numbers for display, on pages and in files."""

from decimal import ROUND_HALF_UP, Decimal

from text_rankings.base.i18n import numeral


def in_decimals(value: float, digits: int) -> str:
    """Return a number with this many decimals, rounded half away from zero, and no negative zero.

    The decimal digits of the number are rounded (6.125 to 6.13, 2.675 to 2.68), not its binary
    fraction, which is below 2.675: readers of the full number expect this, and Django's
    ``floatformat`` does it. The number is formatted for the user's language.

    Parameters
    ----------
    value : float
        Finite.
    digits : int
        Not negative.

    Examples
    --------
    >>> in_decimals(2.675, 2), in_decimals(-0.001, 2)
    ('2.68', '0.00')
    """
    # float(): NumPy's numbers include their type in repr().
    rounded = Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    return numeral(f"{abs(rounded) if rounded.is_zero() else rounded:f}")


def p_value(p: float) -> str:
    """Return a p-value for display, never as 0.

    Examples
    --------
    >>> p_value(0.0004), p_value(0.0125)
    ('< 0.001', '0.013')
    """
    return f"< {in_decimals(0.001, 3)}" if p < 0.001 else in_decimals(p, 3)


def p_in_words(p: float) -> str:
    """Return a p-value for use in a sentence.

    Examples
    --------
    >>> p_in_words(0.0004), p_in_words(0.0125)
    ('p < 0.001', 'p = 0.013')
    """
    return f"p {p_value(p)}" if p < 0.001 else f"p = {p_value(p)}"
