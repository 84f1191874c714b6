"""Asking annotators and keeping their answers."""
