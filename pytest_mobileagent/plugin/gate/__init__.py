"""What a run is held against while it goes on."""
