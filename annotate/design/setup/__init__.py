"""Setting a study up in steps: a draft that only its person sees, pictures to choose from, a preview."""
