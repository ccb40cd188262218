"""Model judges, which decide whether an episode met its goal, alone or cross-validated."""
