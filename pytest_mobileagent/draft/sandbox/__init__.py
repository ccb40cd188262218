"""Running a function that a model wrote, so that it can do nothing but look at an episode."""
