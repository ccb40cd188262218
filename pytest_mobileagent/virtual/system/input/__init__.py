"""Touches, keys and keyboards."""
