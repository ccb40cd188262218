"""Test automation: programs that read the screen through accessibility and act on it."""
