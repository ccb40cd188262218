"""What comes out: results, metrics, tables and files."""
