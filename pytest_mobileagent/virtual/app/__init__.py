"""Apps and their activities, as the system sees them."""
