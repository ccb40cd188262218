"""The sqlite3 command's parts: a database in the phone's files, output modes, dot commands."""
