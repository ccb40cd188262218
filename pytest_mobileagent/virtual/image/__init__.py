"""The packages of the system image: launcher, choosers, permission dialogs, test tools."""
