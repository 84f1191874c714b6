"""CLEval: the characters that detections hold, and the protocols that count them ([B20]_)."""
