"""Tuning: parameters that bring a protocol closer to people (the paper's open questions)."""
