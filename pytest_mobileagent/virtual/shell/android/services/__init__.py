"""The services, by the names that `dumpsys -l` lists, and in modules by what they are about."""
