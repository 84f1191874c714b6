"""Shared by the two protocols of tables: thresholds, pairs of tables, cells and relations ([G19]_)."""
