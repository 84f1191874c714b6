"""Elicitation: the next pair for an annotator, and what follows from the answers."""
