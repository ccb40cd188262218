"""Fingers, keys and keyboards."""
