"""Appium's server. A route is a row of a table: method, path below the session, function."""
