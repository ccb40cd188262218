"""What accessibility sees and tells."""
