"""Parts that every subject's API shares: errors, pages of lists, scopes, limits, repeated requests."""
