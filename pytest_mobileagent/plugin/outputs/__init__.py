"""What a run leaves when it ends, and shows of it: in files, the terminal and other reporters."""
