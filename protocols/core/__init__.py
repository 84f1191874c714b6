"""What protocols share: regions, geometry, matching, credits and their contract."""
