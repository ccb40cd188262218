"""The clients of real providers: one module for each API, based on the official SDKs."""
