"""How a device is driven."""
