"""The awk command's parts: its programs, and the machine that runs them."""
