"""Faults on command, for tests of what drives a phone."""
