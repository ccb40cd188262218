"""Instructions that models write for recorded trajectories, for people to keep, edit or drop."""
