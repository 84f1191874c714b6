"""Publication: files for a paper, and the public page of a kept report."""
