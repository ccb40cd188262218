"""Recorded episodes as data sets: trajectories, the formats of trainers, and their export."""
