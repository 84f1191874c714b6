"""What the protocols do: their pages, and a playground to try them on."""
