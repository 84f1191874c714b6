"""File formats. A fault in a file is a `Problem`, never an exception."""
