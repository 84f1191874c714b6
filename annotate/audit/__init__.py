"""The log of administrative acts: the act, the person and the time."""
