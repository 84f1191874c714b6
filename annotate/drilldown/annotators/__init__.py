"""The page about a study's annotators, and the decision whose rankings count."""
