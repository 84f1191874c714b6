"""The log of administrative acts: act, person and time."""
