"""The output of a run: results, metrics, tables and files."""
