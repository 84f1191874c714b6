"""Pages about single images: one image, two methods on it, and where a protocol disagrees."""
