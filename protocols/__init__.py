"""From ground truth and detections to scores, and to the matches behind them."""

__version__ = "0.1.0"
