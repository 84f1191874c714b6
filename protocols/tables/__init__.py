"""Shared parts of the table protocols: thresholds, pairs of tables, cells, relations ([G19]_)."""
