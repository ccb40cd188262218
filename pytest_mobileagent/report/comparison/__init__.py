"""How runs differ: task by task, in words, and by `compare`."""
