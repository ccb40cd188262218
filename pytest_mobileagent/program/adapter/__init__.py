"""How a program is run: an adapter file, or a mere command."""
