"""Entrances to studies by a link: participants of platforms, their codes, payment lists."""
