"""Apps and their activities, as the system knows them."""
