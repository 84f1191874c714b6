"""Pages about the rankings of one image or of all."""
