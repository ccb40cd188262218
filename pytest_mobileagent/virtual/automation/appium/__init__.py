"""Appium's server: a route is a row in a table: method, path below the session, function."""
