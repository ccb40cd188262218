"""What makes episodes: attempts, the session that an agent drives, the run's folder."""
