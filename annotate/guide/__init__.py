"""The guide to the protocols: their pages, and a playground to try them on."""
