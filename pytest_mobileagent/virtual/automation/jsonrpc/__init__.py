"""uiautomator2's server: a method is a function with `@method("name", kinds of parameters…)`."""
