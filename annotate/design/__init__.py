"""Design of a study: its size, and the steps that set it up."""
