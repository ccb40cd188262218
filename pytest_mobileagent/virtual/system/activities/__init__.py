"""Activities and their tasks: how they start, are stacked and finish."""
