"""Design: the images and annotators that a study needs to find a difference."""
