"""Model judges: they decide, alone or cross-validated, whether an episode met its goal."""
