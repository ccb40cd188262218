"""The devices of a run: leases, the supervisor process, and the programs that it starts."""
