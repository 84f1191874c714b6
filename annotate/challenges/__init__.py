"""Challenges: teams submit results, the ground truth stays hidden, people judge the final."""
