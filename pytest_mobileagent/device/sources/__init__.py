"""Where devices come from: one module for each kind, found by being in this folder."""
