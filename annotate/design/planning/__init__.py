"""How large a study must be: what difference should be found, and what that costs in answers and people."""
