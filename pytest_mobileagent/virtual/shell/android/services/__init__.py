"""The services, under the names that `dumpsys -l` lists; modules group related ones."""
