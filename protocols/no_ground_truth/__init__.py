"""Precision and recall without ground truth: votes, the faces voted on, the protocol ([LS11]_)."""
