"""Design of a study: how large it must be, and the steps that set it up."""
