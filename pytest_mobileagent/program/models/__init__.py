"""What a program asks models, recorded on its way to them."""
