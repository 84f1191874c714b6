"""Competitions on Codabench: the bundle of a dataset, and the organiser's downloads."""
