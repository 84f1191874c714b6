"""Exceptions of geometry on shapes that it cannot handle."""

from typing import Final

import shapely

# Such as sides of millions and billionths in one shape. Callers that score untrusted regions refuse
# them.
BEYOND_COMPUTING: Final = (shapely.errors.GEOSException, ArithmeticError)
