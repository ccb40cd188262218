"""uiautomator2's server. A method is a row of a table: name, kinds of parameters, function."""
