"""Activities and their tasks: how they start, wait and end."""
