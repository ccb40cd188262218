"""Published scores beside runs, and the settings in which runs differ from the authors'."""
