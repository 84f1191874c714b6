"""Scores of detections against ground truth, and the matches behind them."""

__version__ = "0.1.0"
