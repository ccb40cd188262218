"""The `doctor` command: checks whether tasks can run on a device."""
