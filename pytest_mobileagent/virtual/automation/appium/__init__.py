"""Appium's server: a route is a function with `@route("METHOD", "path/below/the/session")`."""
