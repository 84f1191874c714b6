"""Long work outside the request: one row for each piece, done by a standing worker through a queue."""
