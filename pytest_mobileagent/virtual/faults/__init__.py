"""Faults on command, to test the programs that control a phone."""
