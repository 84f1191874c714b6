"""Setup of a study in steps: a private draft, a choice of images, a preview."""
