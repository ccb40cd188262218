"""The services: one file each, by the name that `dumpsys -l` lists."""
