"""Orders: rankings, and the distances between them."""
