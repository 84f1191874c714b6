"""Studies, memberships, exclusions and pseudonyms."""
