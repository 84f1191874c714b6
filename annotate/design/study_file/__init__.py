"""A study from one file: read, made, changed where it may still be, and written again."""
