"""Where devices come from, and who may use them."""
