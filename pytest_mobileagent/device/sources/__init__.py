"""Where devices come from: one file for each kind."""
