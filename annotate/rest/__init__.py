"""What every part of the API shares: errors, pages of lists, scopes, limits, repeated requests."""
