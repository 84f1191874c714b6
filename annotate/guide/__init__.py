"""The guide to the protocols: their pages and the playground. It stores nothing."""
