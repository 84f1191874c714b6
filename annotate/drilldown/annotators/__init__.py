"""Pages about the answers of one annotator or of all."""
