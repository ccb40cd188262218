"""The formats of data sets, one module each: how trajectories are laid out in a folder."""
