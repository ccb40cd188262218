"""The formats of data sets, one module each, which write and read folders of trajectories."""
