"""``text-rankings judge``: a model or a command answers the pairs of a study. Standard library only."""
