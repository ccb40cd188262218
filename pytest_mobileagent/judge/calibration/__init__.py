"""Calibration of judges: a comparison of their answers with what people have decided."""
