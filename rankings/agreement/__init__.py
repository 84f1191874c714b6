"""Agreement: how far each protocol is from the consensus, and people from each other."""
