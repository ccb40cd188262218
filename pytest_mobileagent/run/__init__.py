"""Makes episodes: attempts, the session that an agent drives, and the run's folder."""
