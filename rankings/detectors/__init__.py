"""Detectors: which detector do people prefer, and does a protocol order them the same way?"""
