"""Android's shell: mksh and toybox, interpreted inside the phone's own file system.

A command is a function with `@command("NAME")` in any module of commands/ (toybox's and the shell's
own) or android/ (Android's): it takes a `Context` and its words, and returns its exit status.
Nothing is dropped that tests/virtual/harnesses/commands.toml names: harnesses call it.
"""
