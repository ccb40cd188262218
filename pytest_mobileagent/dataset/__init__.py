"""Recorded steps as data sets: trajectories, the formats that trainers read, and their export."""
