"""Progress of a study, per image and per annotator."""
