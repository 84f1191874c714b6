"""Foundations of the API: errors, pagination, scopes, limits, idempotent requests, tokens."""
