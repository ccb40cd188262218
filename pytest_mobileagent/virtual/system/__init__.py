"""Android's system services: activities, windows, input, packages, settings, log."""
