"""Screens of the system that are activities: they come up over the app that asked for them."""
