"""Tuning: which parameters bring a protocol closer to people (the paper's open questions)?"""
