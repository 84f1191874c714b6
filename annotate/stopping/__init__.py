"""Standings of an open study, and the rules that end it."""
