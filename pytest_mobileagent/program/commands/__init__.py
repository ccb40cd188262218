"""A program's requests to its phone, read as acts, as looks, or as neither."""
