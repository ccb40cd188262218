"""HTTP between a program and the harness, and on to other servers."""
