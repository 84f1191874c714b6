"""The page of the paper's open questions."""
