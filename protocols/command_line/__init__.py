"""Scoring from the shell: many files at once, and the competition's stand-alone scripts."""
