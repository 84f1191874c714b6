"""Leaderboards of data sets: methods by protocols, without people."""
