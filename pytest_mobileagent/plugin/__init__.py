"""The pytest plugin: the only part of the package that imports pytest."""
