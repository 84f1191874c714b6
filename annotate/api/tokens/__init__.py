"""Tokens with which scripts do what their person may."""
