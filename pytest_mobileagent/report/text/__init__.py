"""A run in words: for terminals, and in Markdown."""
