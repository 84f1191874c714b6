"""Protocol runs and their scores."""
