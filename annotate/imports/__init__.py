"""Loading ground truth, results and scores: everything or nothing, with a receipt."""
