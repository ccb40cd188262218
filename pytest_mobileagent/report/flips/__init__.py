"""Why the verdicts of repeated tasks differ: the judge, the environment, or the agent."""
