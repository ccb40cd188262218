"""Android's shell: mksh and toybox, interpreted within the phone's own file system.

A command is a function with `@command("NAME")` in any module of commands/ (toybox's and the shell's
own) or android/ (Android's). It takes a `Context` and its words, and returns its output, its exit
status, or nothing. Nothing that tests/virtual/harnesses/commands.toml names may be removed:
harnesses call it.
"""
