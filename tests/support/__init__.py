"""Shared parts of the tests: factories, archives, commands, worked studies."""
