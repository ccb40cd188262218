"""Records a program's model calls on their way to the providers."""
