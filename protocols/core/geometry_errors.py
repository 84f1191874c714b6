"""What geometry may raise on shapes that it cannot compute with."""

from typing import Final

import shapely

# Shapes of millions beside billionths. Whoever scores regions of strangers refuses them then.
BEYOND_COMPUTING: Final = (shapely.errors.GEOSException, ArithmeticError)
