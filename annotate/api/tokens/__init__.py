"""Tokens that let a script act for a user."""
