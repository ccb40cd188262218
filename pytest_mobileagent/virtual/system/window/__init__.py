"""Windows, the display, and what can be seen of them."""
