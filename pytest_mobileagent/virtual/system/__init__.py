"""What Android's own processes do: activities, windows, input, packages, settings, log."""
