"""uiautomator2's server: a method is a row in a table: name, kinds of parameters, function."""
