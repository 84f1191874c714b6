"""The generated demo: drawn scenes, synthetic detectors, simulated annotators."""
