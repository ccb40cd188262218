"""What Linux is to Android: clock, files, users, processes, properties, the log."""
