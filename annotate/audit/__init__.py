"""Who did what and when: the log of administrative acts."""
