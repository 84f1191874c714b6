"""Consensus: the ranking that represents several annotators."""
