"""What a program asks of a phone, read as acts, as looks, or as neither."""
