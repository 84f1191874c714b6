"""Detectors: which detector people prefer, and whether a protocol orders them the same way."""
