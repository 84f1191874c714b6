"""Shared parts of protocols: regions, geometry, matching, credits and their contract."""
