"""The protocols' order while a study runs, and the rules by which a study ends."""
