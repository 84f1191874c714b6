"""What leaves the site for readers: files for a paper, and the public page of a kept report."""
