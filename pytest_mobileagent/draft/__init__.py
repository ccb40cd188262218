"""The `draft-check` command: checks drafted by a model, for a person to edit."""
