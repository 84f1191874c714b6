"""What the judgements say about the protocols: tables and exports."""
