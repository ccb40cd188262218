"""The output of a run: its files, the summary on the terminal, and data for other reporters."""
