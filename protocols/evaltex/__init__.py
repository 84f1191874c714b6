"""EVALTEX and its variants: measures, the lines of objects, the protocols ([C16]_, [C15]_)."""
