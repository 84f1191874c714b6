"""Tokens that let a script act for a person."""
