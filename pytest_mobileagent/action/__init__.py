"""The canonical actions of agents, and the rules that match them with golden ones."""
