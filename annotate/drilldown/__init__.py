"""Pages behind the numbers: single images, annotators, disagreement."""
