"""How ground truth and results come in at every door: read, named, looked at and counted."""
