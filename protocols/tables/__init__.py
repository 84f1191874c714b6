"""What the two protocols of tables share: thresholds, pairs of tables, cells and their relations ([G19]_)."""
