"""The comparison of runs, task by task, and the `compare` command."""
