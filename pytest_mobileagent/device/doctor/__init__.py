"""What a device has to do for tasks to run on it, checked on the device itself."""
