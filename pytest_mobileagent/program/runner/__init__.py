"""How a program from outside works through a session."""
