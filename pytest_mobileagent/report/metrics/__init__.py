"""What a run comes to, in numbers."""
