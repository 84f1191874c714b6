"""Loads of ground truth, results and scores: all or nothing, with a receipt."""
