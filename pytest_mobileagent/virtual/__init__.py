"""A small Android in Python, driven over the wire like a real one; apps are written with `sdk`."""
