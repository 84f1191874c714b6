"""The pages behind the numbers: single images, annotators, disagreement."""
