"""The sed command's parts: its scripts, and the editor that they drive."""
