"""People decide what judges left open: a local page."""
