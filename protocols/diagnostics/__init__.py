"""What a load notices of results that parse: how they fit the ground truth, and the usual mistakes tried."""
