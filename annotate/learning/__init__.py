"""The first visit: consent, worked examples, practice and the keys. Nothing of it is a result."""
