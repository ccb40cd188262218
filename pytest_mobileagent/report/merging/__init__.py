"""One run made of several: of the shards of a run, or of what several machines did of it."""
