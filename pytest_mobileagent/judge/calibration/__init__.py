"""How far judges can be trusted: they are asked of episodes that people have decided."""
