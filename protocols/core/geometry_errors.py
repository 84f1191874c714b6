"""Exceptions that geometry raises for shapes that it cannot handle."""

from typing import Final

import shapely

# For example, a shape with sides of millions and of billionths. Callers that score untrusted
# regions refuse such shapes.
BEYOND_COMPUTING: Final = (shapely.errors.GEOSException, ArithmeticError)
