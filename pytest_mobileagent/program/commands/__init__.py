"""What a program asks of a phone, read: acts, looks, and what is neither."""
