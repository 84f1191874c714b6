"""Agreement: how far is each protocol from the consensus, and how far are people from each other?"""
