"""Leaderboards of datasets: methods by protocols, without people."""
