"""Accounts: invitations, sign-in, preferences, and personal data with its erasure."""
