"""Checks that a model drafts, run in a sandbox, for a person to edit."""
