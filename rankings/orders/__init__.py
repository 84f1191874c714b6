"""Rankings and distances: what a ranking is, and how far apart two are."""
