"""Accounts: invitations, signing in, one's own page, personal data and its erasure."""
