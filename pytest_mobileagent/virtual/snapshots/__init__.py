"""Snapshots of a phone, in memory and in a folder."""
