"""Competitions on Codabench: bundles out, their scoring program, and a rehearsal of both."""
