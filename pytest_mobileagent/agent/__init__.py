"""Who decides: what agents are, how they are found, and where they run."""
