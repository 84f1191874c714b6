"""Consensus: which ranking represents several annotators?"""
