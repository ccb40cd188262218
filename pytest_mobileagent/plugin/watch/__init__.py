"""The page of a run while it goes on, served to a browser of this machine."""
