"""What is decided of the protocols while a study runs, and the rules by which a study ends."""
