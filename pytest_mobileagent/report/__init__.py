"""The reports of runs: results, metrics, tables, comparisons, gates and pages."""
