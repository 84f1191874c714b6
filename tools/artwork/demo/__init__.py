"""Drawn scenes, synthetic detectors and simulated annotators of the demo study."""
