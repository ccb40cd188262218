"""Installed packages: their permissions, and which of them handles an intent."""
