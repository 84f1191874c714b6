"""Elicitation: the next pair for an annotator, and conclusions from the answers."""
