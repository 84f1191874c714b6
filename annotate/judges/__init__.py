"""Programs that judge: their answers, the pictures they get, and the release of these."""
