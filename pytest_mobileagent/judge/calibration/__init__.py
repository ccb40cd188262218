"""Calibration of judges: a comparison of their answers with people's decisions."""
