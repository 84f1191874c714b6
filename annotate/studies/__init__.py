"""Studies, who takes part in them, and how far they are."""
