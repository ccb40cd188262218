"""Bundles: runs in one file, to be handed over, and checked by a stranger."""
