"""Where it happens: devices, the drivers behind them, and where they come from."""
