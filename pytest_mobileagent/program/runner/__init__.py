"""Who drives a session when the agent is a program from outside."""
