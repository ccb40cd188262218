"""The `review` command: a local page on which people decide what judges left undecided."""
