"""EVALTEX and its variants: what is measured, the lines of objects, the protocols ([C16]_, [C15]_)."""
