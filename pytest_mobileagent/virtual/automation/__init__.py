"""Programs that look at the screen through accessibility and act on it, as test tools do."""
