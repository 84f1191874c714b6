"""An annotator's first visit: consent, examples, practice and keys. None of it counts."""
