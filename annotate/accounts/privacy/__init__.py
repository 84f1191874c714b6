"""Personal data: given out whole, or erased so that the answers stay."""
