"""Long work outside the request: one row for each piece, run by a process of its own."""
