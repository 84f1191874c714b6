"""Elicitation: which pair should an annotator see next, and what follows from the answers?"""
