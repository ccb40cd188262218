"""Runs a program: its folder, how it is started and ended, and how its report is read."""
