"""Judging: assignments, screens, and the log of answers."""
