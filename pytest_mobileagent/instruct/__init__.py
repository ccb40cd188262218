"""The `instruct` command: models write instructions for recorded trajectories."""
