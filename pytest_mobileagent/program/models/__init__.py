"""A program's calls of models, recorded on their way."""
