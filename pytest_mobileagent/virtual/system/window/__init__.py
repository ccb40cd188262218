"""Windows, the display, and what is seen of them."""
