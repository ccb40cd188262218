"""Did it work, asked of models: single, cross-validated, coarse to fine."""
