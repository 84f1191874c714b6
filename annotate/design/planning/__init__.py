"""Planning: images, annotators and answers that a study needs."""
