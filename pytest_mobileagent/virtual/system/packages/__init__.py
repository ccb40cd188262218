"""Installed packages: what they may do and which of them answers an intent."""
