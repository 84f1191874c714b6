"""Recognition: which format a file has, and the reader for it."""
