"""A program's requests to a phone, read as acts, as looks, or as neither."""
