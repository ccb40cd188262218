"""The emulator's console: a command is a function with `@command("GROUP NAME", "what it does")`."""
