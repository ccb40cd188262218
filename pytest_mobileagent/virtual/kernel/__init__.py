"""The Linux side of Android: clock, files, users, processes, properties, log."""
