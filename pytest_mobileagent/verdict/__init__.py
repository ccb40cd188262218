"""What an episode was worth: the verdict, kept beside the episode."""
